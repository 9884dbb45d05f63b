/** Folders whose tests together take less than a minute: the libraries below everything else, and the server's edge. */
export const QUICK = [
  'packages/errors',
  'packages/json',
  'packages/wire',
  'packages/gguf',
  'packages/http-client',
  'packages/proxy',
  'apps/server/src/config',
  'apps/server/src/files',
  'apps/server/src/settings',
  'apps/server/src/catalog',
  'apps/server/src/residency',
  'scripts',
]

/**
 * Converts the arguments of `npm test -- …` to arguments of vitest: `--watch` runs tests again as files change,
 * `--quick` runs a subset; all others pass. Without the user's own reporter a line counts finished files.
 *
 * @param {readonly string[]} args @param {{ isTerminal: boolean }} options a terminal gets vitest's own line, which
 *   counts too @returns {string[]}
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
