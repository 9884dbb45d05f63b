/** Folders whose tests together take less than a minute: the libraries that everything stands on, and the server's edge. */
export const QUICK = [
  'packages/errors',
  'packages/json',
  'packages/wire',
  'packages/gguf',
  'packages/http-client',
  'packages/http-reader',
  'packages/proxy',
  'apps/server/src/config',
  'apps/server/src/files',
  'apps/server/src/settings',
  'apps/server/src/catalog',
  'scripts',
]

/**
 * The arguments of vitest for those of `npm test -- …`: `--watch` runs tests again as files change, `--quick` runs a
 * subset; all others go through. Without a reporter of the user's own a line says how many files are done.
 *
 * @param {readonly string[]} args
 * @param {{ isTerminal: boolean }} options a terminal gets vitest's own line, which counts too
 * @returns {string[]}
 */
export function parseTestArguments(args, { isTerminal }) {
  const rest = args.filter((arg) => arg !== '--quick' && arg !== '--watch')
  const hasReporter = rest.some((arg) => arg.startsWith('--reporter'))
  const reporters = ['--reporter=default', '--reporter=./scripts/progress-reporter.mjs']
  return [
    args.includes('--watch') ? 'watch' : 'run',
    ...(hasReporter || isTerminal ? [] : reporters),
    ...rest,
    ...(args.includes('--quick') ? QUICK : []),
  ]
}
