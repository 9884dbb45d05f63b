import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listUseless } from './prune-install.mjs'

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
  'hono@4.13.19/node_modules/hono/dist/index.js',
]

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
  const store = await mkdtemp(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rm(store, { recursive: true }))
  for (const file of FILES) {
    await mkdir(dirname(join(store, file)), { recursive: true })
    await writeFile(join(store, file), '')
  }
  const useless = listUseless(store, { platform, arch }).map((path) => relative(store, path))
  const always = [`${SQLITE}/deps`, `${SQLITE}/src`, join(LLAMA, 'gitRelease.bundle')]
  expect(useless.sort()).toEqual([...expected, ...always].sort())
  // nothing of SQLite fits this one: what compiles it stays
  const other = listUseless(store, { platform: 'linux', arch: 'arm' }).map((path) => relative(store, path))
  expect(other.filter((path) => /sqlite3\/(deps|src)$|armv7l/.test(path))).toEqual([])
})

it('passes over a folder without an installation', () => {
  expect(listUseless('/nowhere', { platform: 'linux', arch: 'x64' })).toEqual([])
})
