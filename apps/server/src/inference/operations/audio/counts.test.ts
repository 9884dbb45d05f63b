import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeWav } from '../../../../test/support/sound.ts'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import { openPrivateFiles, type PrivateFiles } from '../../../files/private-files.ts'
import type { MediaUsage } from '../../core/events.ts'
import type { OperationRequest } from '../operation.ts'
import { runOperation } from '../run-operation.ts'

const TRANSCRIPT = { text: 'Hi', language: '', duration: 0, eou: false, segments: [] }
const SEGMENT = { id: 0, start: 0n, end: 3_000_000_000n, text: 'Hi', tokens: [], speaker: '', words: [] }
const REPLY = { message: new Uint8Array(), audio: new Uint8Array(2) }

let folder: TempDir
let drafts: PrivateFiles
let path: string
let unknown: string

beforeAll(async () => {
  folder = await tempDir('svc-sound-')
  drafts = await openPrivateFiles(join(folder.path, 'drafts'))
  path = join(folder.path, 'two.wav')
  unknown = join(folder.path, 'a.mp3')
  await writeFile(path, makeWav(2))
  await writeFile(unknown, 'ID3')
})
afterAll(async () => {
  await drafts.close()
  await folder.close()
})

const transcribe = (file: string, stream = false): OperationRequest => ({
  kind: 'transcribe',
  path: file,
  translates: false,
  diarizes: true,
  granularities: [],
  stream,
})
const speak = (stream = false): OperationRequest => ({ kind: 'speak', text: 'Hé 😀', params: {}, stream })

/** Runs an operation to its end. @returns what was counted, the last figures alone */
async function count(request: OperationRequest, client: object, signal = new AbortController().signal) {
  let counted: MediaUsage | undefined
  const onMedia = (media: MediaUsage): void => {
    counted = media
  }
  const context = {
    client: client as never,
    model: createModel({ name: 'm' }),
    correlationId: 'c',
    drafts,
    onMedia,
    signal,
  }
  let error: unknown
  try {
    const result = await runOperation(request, context)
    for await (const _ of result.live ?? []);
    result.release?.()
  } catch (thrown) {
    error = thrown
  }
  return { counted, error }
}

async function* stream(...replies: readonly (object | Error)[]) {
  for (const reply of replies) {
    if (reply instanceof Error) throw reply
    yield reply
  }
}

const broken = new SvcError('internal', 'broken')
const write = async ({ dst }: { dst: string }) => {
  await writeFile(dst, makeWav(0.5))
  return { success: true, message: '' }
}

describe('what a call has used', () => {
  it.each<[string, () => OperationRequest, object, MediaUsage | undefined]>([
    [
      'the length that the backend tells',
      () => transcribe(path),
      { audioTranscription: async () => ({ ...TRANSCRIPT, duration: 7 }) },
      { seconds: 7 },
    ],
    [
      'the end of the last part',
      () => transcribe(path),
      { audioTranscription: async () => ({ ...TRANSCRIPT, segments: [SEGMENT] }) },
      { seconds: 3 },
    ],
    ['the length of the file', () => transcribe(path), { audioTranscription: async () => TRANSCRIPT }, { seconds: 2 }],
    [
      'nothing that is not known',
      () => transcribe(unknown),
      { audioTranscription: async () => TRANSCRIPT },
      { seconds: 0 },
    ],
    ['nothing for a failure', () => transcribe(path), { audioTranscription: () => Promise.reject(broken) }, undefined],
    [
      'the length at the end of a stream',
      () => transcribe(path, true),
      {
        audioTranscriptionStream: () =>
          stream({ delta: 'H' }, { delta: '', finalResult: { ...TRANSCRIPT, duration: 5 } }),
      },
      { seconds: 5 },
    ],
    [
      'the length of the file for a stream that breaks',
      () => transcribe(path, true),
      { audioTranscriptionStream: () => stream({ delta: 'H' }, broken) },
      { seconds: 2 },
    ],
    [
      'nothing for a stream that never began',
      () => transcribe(path, true),
      { audioTranscriptionStream: () => stream(broken) },
      undefined,
    ],
    ['the characters of a text', () => speak(), { tts: write }, { characters: 4 }],
    ['no characters for a failure', () => speak(), { tts: () => Promise.reject(broken) }, undefined],
    ['the characters of live speech', () => speak(true), { ttsStream: () => stream(REPLY) }, { characters: 4 }],
    ['no characters for speech without sound', () => speak(true), { ttsStream: () => stream() }, undefined],
    [
      'the seconds of a made sound',
      () => ({ kind: 'make-sound', text: 'rain' }),
      { soundGeneration: write },
      { seconds: 0.5 },
    ],
    [
      'the seconds of samples',
      () => ({ kind: 'detect-speech', samples: Array<number>(8000).fill(0) }),
      { vad: async () => ({ segments: [] }) },
      { seconds: 0.5 },
    ],
    [
      'the seconds of classified sound',
      () => ({ kind: 'classify-sound', path, topK: 0, threshold: 0 }),
      { soundDetection: async () => ({ detections: [] }) },
      { seconds: 2 },
    ],
  ])('is %s', async (_name, request, client, expected) => {
    expect((await count(request(), client)).counted).toEqual(expected)
  })

  it.each<[string, () => OperationRequest, string, MediaUsage]>([
    ['transcript', () => transcribe(path), 'audioTranscription', { seconds: 2 }],
    ['speech', () => speak(), 'tts', { characters: 4 }],
  ])('is what is known of a %s whose caller left', async (_name, request, rpc, expected) => {
    const leaving = new AbortController()
    const call = () => {
      leaving.abort(new SvcError('cancelled', 'left'))
      return Promise.reject(leaving.signal.reason)
    }
    expect(await count(request(), { [rpc]: call }, leaving.signal)).toMatchObject({ counted: expected })
    expect(await count(request(), { [rpc]: call }, leaving.signal)).toMatchObject({ counted: undefined })
  })
})
