import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const prefix = dirname(dirname(process.execPath))

/** The environment for package managers, compilers and tests, with the tools' folder first on the path. */
export function childEnvironment(tools) {
  const env = { ...process.env, JOBS: 'max', TURBO_TELEMETRY_DISABLED: '1' }
  // npm's variables for scripts describe npm's own run; NODE_OPTIONS would reach the compiler and every backend.
  for (const key of Object.keys(env)) {
    if (
      /^(NODE_OPTIONS|npm_(lifecycle|package|config)_)/i.test(key) &&
      !/registry|proxy$|cafile|nodedir|store/i.test(key)
    )
      delete env[key]
  }
  if (!env.npm_config_nodedir && existsSync(join(prefix, 'include/node/node.h'))) env.npm_config_nodedir = prefix
  env.PATH = [join(tools, 'node_modules/.bin'), dirname(process.execPath), env.PATH].join(delimiter)
  return env
}

/** Finds npm as a file that node can run: no shell, no `.cmd`. Undefined when only the program on the path is known. */
export function findNpm() {
  if (process.env.npm_execpath?.endsWith('npm-cli.js')) return process.env.npm_execpath
  return ['lib/node_modules/npm/bin/npm-cli.js', 'share/nodejs/npm/bin/npm-cli.js']
    .map((path) => join(prefix, path))
    .find((path) => existsSync(path))
}
