import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listUseless, pruneInstall } from './prune-install.mjs'

const ONNX = 'onnxruntime-node@1.30.0/node_modules/onnxruntime-node/bin/napi-v6'
const SQLITE = 'better-sqlite3@13.2.0/node_modules/better-sqlite3'
const LLAMA = 'node-llama-cpp@3.22.1/node_modules/node-llama-cpp/llama'
const OLD_SQLITE = 'better-sqlite3@12.11.1/node_modules/better-sqlite3'

const FILES = [
  ...['linux/x64', 'linux/arm64', 'darwin/arm64', 'win32/x64'].map((system) => `${ONNX}/${system}/a.node`),
  ...['linux-x64', 'linuxmusl-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64'].map(
    (system) => `${SQLITE}/prebuilds/${system}.node`,
  ),
  ...['deps/sqlite3.c', 'src/a.cpp', 'lib/index.js'].map((name) => `${SQLITE}/${name}`),
  ...['deps/sqlite3.c', 'src/a.cpp', 'build/Release/better_sqlite3.node'].map((name) => `${OLD_SQLITE}/${name}`),
  ...['gitRelease.bundle', 'binariesGithubRelease.json'].map((name) => `${LLAMA}/${name}`),
  ...['linux-x64', 'linux-arm64', 'linux-armv7l', 'mac-arm64-metal', 'win-x64'].map(
    (system) => `@node-llama-cpp+${system}@3.22.1/node_modules/@node-llama-cpp/${system}/bin`,
  ),
  ...['x64-gnu', 'x64-musl', 'arm-musleabihf'].map(
    (system) => `@libsql+linux-${system}@0.5.29/node_modules/@libsql/linux-${system}/index.node`,
  ),
  'hono@4.13.19/node_modules/hono/dist/index.js',
]
const MUSL = ['@libsql+linux-x64-musl@0.5.29', '@libsql+linux-arm-musleabihf@0.5.29']

/** Makes a folder for one test. */
async function makeFolder(files: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

it.each([
  [
    'linux',
    'x64',
    [
      `${ONNX}/darwin`,
      `${ONNX}/linux/arm64`,
      `${ONNX}/win32`,
      ...['darwin-arm64', 'linux-arm64', 'win32-x64'].map((system) => `${SQLITE}/prebuilds/${system}.node`),
      '@node-llama-cpp+linux-arm64@3.22.1',
      '@node-llama-cpp+linux-armv7l@3.22.1',
      '@node-llama-cpp+mac-arm64-metal@3.22.1',
      '@node-llama-cpp+win-x64@3.22.1',
    ],
  ],
  [
    'darwin',
    'arm64',
    [
      `${ONNX}/linux`,
      `${ONNX}/win32`,
      ...['linux-arm64', 'linux-x64', 'linuxmusl-x64', 'win32-x64'].map(
        (system) => `${SQLITE}/prebuilds/${system}.node`,
      ),
      '@node-llama-cpp+linux-arm64@3.22.1',
      '@node-llama-cpp+linux-armv7l@3.22.1',
      '@node-llama-cpp+linux-x64@3.22.1',
      '@node-llama-cpp+win-x64@3.22.1',
    ],
  ],
])('on %s %s everything stays that it can load, and what a clone compiles itself', async (platform, arch, expected) => {
  const store = await makeFolder(FILES)
  const useless = listUseless(store, { platform, arch }).map((path) => relative(store, path))
  const always = [...MUSL, `${SQLITE}/deps`, `${SQLITE}/src`, join(LLAMA, 'gitRelease.bundle')]
  expect(useless.sort()).toEqual([...expected, ...always].sort())
  // on Alpine, the builds for the other C library go
  const onMusl = listUseless(store, { platform, arch, musl: true }).map((path) => relative(store, path))
  expect(onMusl.filter((path) => path.startsWith('@libsql'))).toEqual(['@libsql+linux-x64-gnu@0.5.29'])
  // no build of SQLite fits this one: the files that compile it stay
  const other = listUseless(store, { platform: 'linux', arch: 'arm' }).map((path) => relative(store, path))
  expect(other.filter((path) => /sqlite3\/(deps|src)$|armv7l/.test(path))).toEqual([])
})

it('removes types and source maps, which only tools read, and no other files', async () => {
  const inPackage = 'node_modules/.pnpm/a@1.0.0/node_modules/a'
  const kept = ['index.js', 'index.mjs', 'index.d.ts.js', 'lib/map', 'lib/sitemap.json', 'lib/a.ts', 'd.ts/a.js']
  const removed = ['index.d.ts', 'index.d.mts', 'index.d.cts', 'index.js.map', 'lib/style.css.map', 'd.ts/a.d.ts']
  const folder = await makeFolder([...kept, ...removed].map((file) => `${inPackage}/${file}`))
  await mkdir(join(folder, 'elsewhere'))
  await writeFile(join(folder, 'elsewhere/own.d.ts'), '')
  await symlink(join(folder, 'elsewhere'), join(folder, inPackage, 'linked'))
  pruneInstall(folder)
  const left = await readdir(join(folder, inPackage), { recursive: true })
  expect(left.filter((path) => path !== 'lib' && path !== 'd.ts').sort()).toEqual(
    [...kept, 'linked', 'linked/own.d.ts'].sort(),
  )
})

it('passes over a folder without an installation', () => {
  expect(listUseless('/nowhere', { platform: 'linux', arch: 'x64' })).toEqual([])
  expect(() => pruneInstall('/nowhere')).not.toThrow()
})
