import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ChatMessage, ChatRequest } from '../core/request.ts'
import { createMediaAttacher } from './attach-media.ts'
import type { Attachment } from './attachment.ts'
import type { MediaReader } from './media-reader.ts'

const { signal } = new AbortController()
const VISION = createModel({ knownUsecases: ['chat'], knownInputModalities: ['text', 'image', 'audio', 'video'] })

/** A reader that names media by their URLs and records the URLs in the order of reading. */
function createReader(read: (url: string) => Promise<void> = async () => {}) {
  const log: string[] = []
  const reader: MediaReader = {
    open() {
      log.push('open')
      return {
        async read({ kind, source }) {
          const url = 'url' in source ? source.url : ''
          log.push(url)
          await read(url)
          return { kind: kind === 'file' ? 'video' : kind, mediaType: 'x/y', base64: url }
        },
        release: () => void log.push('release'),
      }
    },
  }
  return { log, attacher: createMediaAttacher(reader) }
}

function attachment(url: string, kind: Attachment['kind'] = 'image'): Attachment {
  return { kind, source: { url }, param: `at ${url}` }
}

function chat(...messages: (readonly Attachment[] | undefined)[]): ChatRequest {
  return {
    kind: 'chat',
    messages: messages.map((attachments): ChatMessage => ({ role: 'user', content: 'look', attachments })),
    generation: {},
    choices: 1,
    stream: false,
  }
}

const attach = (request: ChatRequest, parts = createReader(), model: ModelConfig = VISION) =>
  parts.attacher.attach(request, { model, signal })

describe('attachments', () => {
  it('become media in the order of the messages in any order of reading, and counts in their places', async () => {
    const first = createDeferred<void>()
    const parts = createReader(async (url) => {
      if (url === 'a') await first.promise
      if (url === 'e') first.resolve()
    })
    const request = chat([attachment('a'), attachment('b', 'audio')], undefined, [
      attachment('c'),
      attachment('d', 'file'),
      attachment('e'),
    ])
    const { request: attached } = await attach(request, parts)
    expect(attached).toEqual({
      ...request,
      messages: [
        { role: 'user', content: 'look', media: { images: 1, audio: 1, video: 0 } },
        { role: 'user', content: 'look' },
        { role: 'user', content: 'look', media: { images: 2, audio: 0, video: 1 } },
      ],
      media: { images: ['a', 'c', 'e'], audio: ['b'], video: ['d'] },
    })
  })

  it('are not looked for in requests without attachments', async () => {
    const parts = createReader()
    const request = chat(undefined, undefined)
    const attached = await attach(request, parts)
    attached.release()
    expect(attached.request).toBe(request)
    expect(parts.log).toEqual([])
  })

  it.each<[string, Partial<ModelConfig>, Attachment['kind'], boolean]>([
    ['text alone', {}, 'image', false],
    ['text alone', {}, 'file', false],
    ['a projector', { llm: { mmproj: 'p.gguf' } }, 'image', true],
    ['a projector', { llm: { mmproj: 'p.gguf' } }, 'audio', false],
    ['a template for media', { template: { multimodal: '{{.Text}}' } }, 'image', true],
    ['images in its file', { knownInputModalities: ['image'] }, 'image', true],
    ['audio in its file', { knownInputModalities: ['audio'] }, 'audio', true],
    ['audio in its file', { knownInputModalities: ['audio'] }, 'image', false],
    ['a limit for videos', { vllm: { limitMmPerPrompt: { image: 0, video: 2, audio: 0 } } }, 'video', true],
  ])('are for models that take them: %s %o, %s', async (_, changes, kind, isTaken) => {
    const parts = createReader()
    const model = createModel({ knownUsecases: ['chat'], ...changes })
    const attaching = attach(chat([attachment('x', kind)]), parts, model)
    if (isTaken) await expect(attaching).resolves.toBeDefined()
    else {
      await expect(attaching).rejects.toMatchObject({
        kind: 'invalid_request',
        code: 'modality_not_supported',
        message: `at x: this model takes no ${kind}`,
      })
      expect(parts.log).toEqual([])
    }
  })

  it('are not read at all when the model does not take one of them', async () => {
    const parts = createReader()
    const model = createModel({ knownUsecases: ['chat'], knownInputModalities: ['image'] })
    await expect(attach(chat([attachment('a')], [attachment('b', 'audio')]), parts, model)).rejects.toThrow('at b')
    expect(parts.log).toEqual([])
  })

  it('are 64 at most', async () => {
    const many = (count: number) => chat(Array.from({ length: count }, (_, index) => attachment(`${index}`)))
    await expect(attach(many(64))).resolves.toBeDefined()
    const parts = createReader()
    await expect(attach(many(65), parts)).rejects.toMatchObject({ code: 'too_many_media', details: { param: 'at 64' } })
    expect(parts.log).toEqual([])
  })

  it('hold their memory until the reply has ended, or one of them failed', async () => {
    const parts = createReader()
    const attached = await attach(chat([attachment('a')]), parts)
    expect(parts.log).toEqual(['open', 'a'])
    attached.release()
    expect(parts.log).toEqual(['open', 'a', 'release'])
    const broken = createReader(async () => {
      throw new Error('broken')
    })
    await expect(attach(chat([attachment('a'), attachment('b')]), broken)).rejects.toThrow('broken')
    expect(broken.log.at(-1)).toBe('release')
  })
})
