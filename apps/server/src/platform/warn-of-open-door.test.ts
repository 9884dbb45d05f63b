import { expect, it } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { warnOfOpenDoor } from './warn-of-open-door.ts'

function check(argv: readonly string[], facts: { readonly isAuthConfigured: boolean; readonly isFederated: boolean }) {
  const loaded = loadConfig({ argv: ['run', '--address=127.0.0.1:0', ...argv], env: {}, cwd: '/' })
  if (loaded.kind !== 'run') throw new Error('the arguments are refused')
  warnOfOpenDoor(loaded.config, { ...facts, log: silentLogger })
}

it('refuses to give members of a peer-to-peer network an API that asks for no key', () => {
  const start = () => check(['--p2p'], { isAuthConfigured: false, isFederated: true })
  expect(start).toThrow(expect.objectContaining({ name: 'StartRefused', exitCode: 78 }))
  expect(start).toThrow(/every member of the network full access: set --api-keys or --auth-enabled/)
})

it.each([
  ['with keys or accounts', ['--p2p'], { isAuthConfigured: true, isFederated: true }],
  ['in a network that gets workers alone', ['--p2p'], { isAuthConfigured: false, isFederated: false }],
  ['with peers that are named', [], { isAuthConfigured: false, isFederated: true }],
])('starts %s', (_, argv, facts) => {
  expect(() => check(argv, facts)).not.toThrow()
})
