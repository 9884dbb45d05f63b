/**
 * Lists the packages of the workspace that one of them needs at run time: itself, its direct and indirect dependencies,
 * and the packages whose build its own build takes in (`svc.ships`). Packages only for tests are left out.
 *
 * @param {string} name @param {ReadonlyMap<string, { dependencies?: object, optionalDependencies?: object, svc?: { ships?:
 *   string[] } }>} manifests by package name @returns {string[]}
 */
export function listNeededPackages(name, manifests) {
  const needed = new Set()
  const visit = (each) => {
    const manifest = manifests.get(each)
    if (manifest === undefined || needed.has(each)) return
    needed.add(each)
    for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) visit(next)
    for (const next of manifest.svc?.ships ?? []) visit(next)
  }
  visit(name)
  return [...needed].sort()
}

/** The line of tsup or Vite for a finished package; turbo puts the package's name before it, also when it replays a log. */
const DONE = /^(\S+):build: .*(?:Build success|built in )/

/** Most characters of the log that are kept to show after a failure. */
const MAX_LOG = 200_000

/**
 * Reads the log of a build and counts: one line that changes on a terminal, else one line for each package.
 *
 * @param {{ total: number, out: { isTTY?: boolean, write(text: string): unknown } }} options
 */
export function createBuildCounter({ total, out }) {
  const done = new Set()
  let log = ''
  let rest = ''
  const show = (name) => {
    const line = `building ${done.size} of ${total}${name === undefined ? ' …' : `: ${name}`}`
    out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
  }
  show()
  return {
    read(text) {
      log = (log + text).slice(-MAX_LOG)
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const name = DONE.exec(line)?.[1]
        if (name === undefined || done.has(name)) continue
        done.add(name)
        show(name)
      }
    },
    /** Ends the line that changes. */
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
    /** Shows the output of the build, after a failure. */
    showLog() {
      out.write(`\n${log}\n`)
    },
  }
}
