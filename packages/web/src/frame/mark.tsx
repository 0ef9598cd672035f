export const Mark = () => (
  <svg viewBox="0 0 20 20" aria-hidden="true" fill="currentColor">
    <circle cx="4" cy="15.6" r="1.7" opacity=".35" />
    <circle cx="8.6" cy="12.6" r="2" opacity=".55" />
    <circle cx="8.9" cy="7" r="2.3" opacity=".78" />
    <circle cx="14.6" cy="4.6" r="2.8" />
  </svg>
);
