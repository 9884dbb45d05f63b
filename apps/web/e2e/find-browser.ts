import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The shell draws the same pages in a third less time: it has no windows. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** The browser of this machine: `SVC_CHROMIUM`, else the first on the path. */
export function findBrowser(): string | undefined {
  const named = process.env.SVC_CHROMIUM
  if (named !== undefined) return existsSync(named) ? named : undefined
  for (const name of NAMES) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    if (stdout.trim() !== '') return stdout.trim()
  }
  return undefined
}
