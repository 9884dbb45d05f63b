// `npm run build:sqlite`: compiles better-sqlite3 for Node 20, which no install does. It opens database files, reads twice
// as fast as libsql, and needs a C++ toolchain and a minute. A second run reports the existing binary. For Node 22 and
// newer the package brings its binaries.
import { spawn, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment, findNpm } from './child-environment.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const env = childEnvironment(join(root, '.tools'))
const say = (text) => void process.stderr.write(`${text}\n`)

/** Whether it opens a database: in a process of its own, because a failed binary cannot be loaded again. */
function opens(folder) {
  const program = `new (require(${JSON.stringify(folder)}))(':memory:').close()`
  return spawnSync(process.execPath, ['-e', program], { env, stdio: 'ignore' }).status === 0
}

/** The release for this Node; see `apps/server/src/db/sqlite-engine.ts`. */
const place =
  Number(process.versions.napi) >= 10 ? 'apps/server/node_modules/better-sqlite3' : 'node_modules/better-sqlite3-12'

function installedFolder() {
  try {
    // its place in the store of the workspace: its tools are beside that, not beside the link
    return realpathSync(join(root, place))
  } catch {
    return undefined
  }
}

function compile(folder) {
  const npm = findNpm()
  const [file, ...argv] = npm === undefined ? ['npm'] : [process.execPath, npm]
  const child = spawn(file, [...argv, 'run', 'install'], { cwd: folder, env, stdio: ['ignore', 2, 2] })
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
}

const folder = installedFolder()
if (folder === undefined) {
  say('better-sqlite3 is not installed: run `node scripts/bootstrap.mjs build` first')
  process.exitCode = 1
} else if (opens(folder)) say('better-sqlite3 has its binary')
else if (!place.endsWith('-12')) {
  say('better-sqlite3 has no binary for this system; the server uses libsql')
  process.exitCode = 1
} else {
  say('compiling better-sqlite3 …')
  await compile(folder)
  if (opens(folder)) say('better-sqlite3 has its binary, servers started from now on use it')
  else {
    say(
      'better-sqlite3 could not be compiled: it needs python3, make and g++ (Debian: apt-get install python3 make g++)',
    )
    process.exitCode = 1
  }
}
