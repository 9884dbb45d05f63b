import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { BUILD_VERSION, loadMediaLibrary, nameBuild } from './library.ts'

const linux = { platform: 'linux', arch: 'x64', hasMusl: false }

it('finds the build for this system', () => {
  expect(loadMediaLibrary()).toHaveProperty('PeerConnection')
})

it('says the command that installs a build that is missing', () => {
  const refuse = (): never => {
    throw new Error('not found')
  }
  expect(() => loadMediaLibrary(linux, refuse)).toThrow(
    expect.objectContaining({
      kind: 'not_implemented',
      message: 'calls need a WebRTC library: npm install -g @node-datachannel/linux-x64-gnu@0.33.4',
    }),
  )
})

it('says where there is none', () => {
  expect(() => loadMediaLibrary({ ...linux, platform: 'freebsd' })).toThrow('no WebRTC library for freebsd on x64')
})

it('names only builds that the server installs, in the version of the lock file', () => {
  const server = join(import.meta.dirname, '../../../..')
  const { svc } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'))
  const machines = ['linux', 'darwin', 'win32'].flatMap((platform) =>
    ['x64', 'arm64'].flatMap((arch) => [true, false].map((hasMusl) => ({ platform, arch, hasMusl }))),
  )
  const names = new Set(machines.map(nameBuild))
  expect([...names].sort()).toEqual([...svc.builds['node-datachannel']].sort())
  const entry = createRequire(import.meta.url).resolve('node-datachannel')
  const root = join(dirname(entry), '../../..')
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version).toBe(BUILD_VERSION)
})
