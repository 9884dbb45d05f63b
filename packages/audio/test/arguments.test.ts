import * as audio from '@svc/audio'
import * as samples from '@svc/audio/samples'
import { describe, expect, it } from 'vitest'

const WRONG: readonly unknown[] = [undefined, null, 7, true, 'text', () => 1]
const functions: Readonly<Record<string, unknown>> = { ...audio, ...samples }
const refusal = expect.objectContaining({ code: 'invalid_argument', kind: 'internal' })

/** Calls a function without the checks of its types, and awaits the result. */
const call = async (name: string, ...args: unknown[]): Promise<unknown> =>
  (functions[name] as (...args: unknown[]) => unknown)(...args)

describe('arguments of another type', () => {
  it.each(WRONG)('%o is not a source, bytes or samples', async (wrong) => {
    const rates = { inputRate: 8000, outputRate: 16_000 }
    await expect(call('decodeAudio', wrong)).rejects.toEqual(refusal)
    await expect(call('encodeAudio', wrong, { format: 'wav', inputRate: 8000 })).rejects.toEqual(refusal)
    await expect(call('readWav', wrong)).rejects.toEqual(refusal)
    await expect(call('readWavHeader', wrong)).rejects.toEqual(refusal)
    await expect(call('sniffAudio', wrong)).rejects.toEqual(refusal)
    await expect(call('mixChannels', wrong, { from: 1, to: 1 })).rejects.toEqual(refusal)
    for (const name of Object.keys(samples).filter((each) => /32/.test(each)))
      await expect(call(name, wrong), name).rejects.toEqual(refusal)
    for (const same of [rates, { inputRate: 8000, outputRate: 8000 }])
      expect(() => samples.createResampler(same).push(wrong as Float32Array)).toThrow(refusal)
  })

  it.each([null, 7, 'text'])('%o are no options', async (wrong) => {
    await expect(call('decodeAudio', [], wrong)).rejects.toEqual(refusal)
    await expect(call('encodeAudio', [], wrong)).rejects.toEqual(refusal)
    await expect(call('readWav', [], wrong)).rejects.toEqual(refusal)
    await expect(call('mixChannels', new Float32Array(1), wrong)).rejects.toEqual(refusal)
    for (const name of ['createResampler', 'encodeWavHeader', 'createFfmpeg'])
      await expect(call(name, wrong), name).rejects.toEqual(refusal)
  })

  it.each([null, Number.NaN, 0, -1, '5'])('%o is not a limit', async (wrong) => {
    await expect(call('decodeAudio', [], { maxSeconds: wrong })).rejects.toEqual(refusal)
    await expect(call('readWav', [], { maxHeaderBytes: wrong })).rejects.toEqual(refusal)
    for (const name of ['timeoutMs', 'maxOutputBytes', 'maxInputBytes'])
      await expect(call('createFfmpeg', { [name]: wrong }), name).rejects.toEqual(refusal)
  })

  it.each([
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: 2 ** 31 },
    { path: 7 },
    { folders: 'a' },
    { folders: [7] },
    { env: null },
    { temporaryFolder: null },
  ])('%o are no options of a program', async (wrong) => {
    await expect(call('createFfmpeg', wrong)).rejects.toEqual(refusal)
  })

  it('a format that does not exist has no rate', async () => {
    await expect(call('findEncodedRate', 'midi', 8000)).rejects.toEqual(refusal)
    await expect(call('findEncodedRate', 'wav', null)).rejects.toMatchObject({ code: 'invalid_audio_option' })
  })
})
