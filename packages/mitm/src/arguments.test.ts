import { describe, expect, it } from 'vitest'
import {
  canonicalHost,
  createAllowlist,
  createCaFolder,
  openAuthority,
  readAuthority,
  startMitmProxy,
} from './index.ts'
import { DEFAULT_LIMITS, resolveLimits } from './limits/limits.ts'

const WRONG: readonly unknown[] = [undefined, null, {}, 7, true, '']
const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(/ must be /) })

/** Calls a function without the checks of its types, and awaits the result. */
const call = async (run: unknown, ...args: unknown[]): Promise<unknown> =>
  (run as (...args: unknown[]) => unknown)(...args)

const authority = {
  certificate: '',
  fingerprint: '',
  validUntil: new Date(),
  issueLeaf: () => ({ certificate: '', key: '' }),
}
const policy = { find: () => undefined }

describe('arguments of another type', () => {
  it.each(WRONG)('%o in the place of options, ports and folders is refused', async (wrong) => {
    await expect(call(startMitmProxy, wrong)).rejects.toEqual(refusal)
    await expect(call(startMitmProxy, { authority, policy: wrong })).rejects.toEqual(refusal)
    await expect(call(startMitmProxy, { authority: wrong, policy })).rejects.toEqual(refusal)
    await expect(call(openAuthority, wrong)).rejects.toEqual(refusal)
    await expect(call(openAuthority, { store: wrong })).rejects.toEqual(refusal)
    await expect(call(readAuthority, wrong)).rejects.toEqual(refusal)
    await expect(call(readAuthority, { store: wrong })).rejects.toEqual(refusal)
    await expect(call(createCaFolder, wrong)).rejects.toEqual(refusal)
  })

  it.each([null, 7, {}, Symbol('x')])('%o is not an organization, and nothing is made', async (organization) => {
    const calls: string[] = []
    const store = { read: async () => void calls.push('read'), create: async () => void calls.push('create') }
    await expect(call(openAuthority, { store, organization })).rejects.toEqual(refusal)
    expect(calls).toEqual([])
  })

  it.each(WRONG.filter((wrong) => wrong !== ''))('%o is not text of a host', async (wrong) => {
    await expect(call(canonicalHost, wrong)).rejects.toEqual(refusal)
    await expect(call(createAllowlist, [{ owner: 'model', hosts: [wrong] }])).rejects.toEqual(refusal)
  })

  it.each([
    undefined,
    null,
    {},
    7,
    'text',
    [null],
    [7],
    [{ owner: 'model' }],
    [{ owner: 'model', hosts: 'host.example' }],
  ])('%o are no claims', async (wrong) => {
    await expect(call(createAllowlist, wrong)).rejects.toEqual(refusal)
  })

  it.each(Object.keys(DEFAULT_LIMITS))(
    'a wrong %s is refused, and one that is undefined has its default',
    async (name) => {
      for (const wrong of [null, Number.NaN, -1, '7', Number.POSITIVE_INFINITY]) {
        await expect(call(startMitmProxy, { authority, policy, limits: { [name]: wrong } })).rejects.toEqual(refusal)
      }
      expect(resolveLimits({ [name]: undefined })).toEqual(DEFAULT_LIMITS)
    },
  )
})
