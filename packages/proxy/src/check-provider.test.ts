import { expect, it } from 'vitest'
import { loadCloudTarget, relay } from './index.ts'
import { createTranslator } from './translate/index.ts'

const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('provider_a or') })

it.each(['provider_c', '', 'toString', null, 7, {}])('%o is not a provider', async (wrong) => {
  const provider = wrong as 'provider_a'
  expect(() => createTranslator({ provider, model: 'm' })).toThrow(refusal)
  const secrets = { variable: () => 'k', file: () => Promise.reject(new Error('none')) }
  const settings = { upstreamUrl: 'https://a.example', provider }
  await expect(loadCloudTarget(settings, { secrets })).rejects.toEqual(refusal)
  expect(() => relay({ provider } as Parameters<typeof relay>[0])).toThrow(refusal)
})
