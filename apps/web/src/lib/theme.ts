/** The theme that was chosen; `system` follows the machine. */
export type Theme = 'light' | 'dark' | 'system'

const STORED = 'svc-theme'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** The theme that was chosen in this browser. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(): void {
  const theme = readTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

/** Keeps the choice in this browser and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
  apply()
}

prefersDark.addEventListener('change', apply)
