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

/**
 * The browser of tests. Without one they are left out, with one line that says so.
 *
 * @throws where `SVC_REQUIRE_BROWSER` is 1 and there is none
 */
export function findTestBrowser(): string | undefined {
  const found = findBrowser()
  if (found !== undefined) return found
  const text =
    'no Chromium on this machine: the browser tests were left out (Debian: apt-get install chromium-headless-shell)'
  if (process.env.SVC_REQUIRE_BROWSER === '1') throw new Error(text)
  console.warn(text)
  return undefined
}
