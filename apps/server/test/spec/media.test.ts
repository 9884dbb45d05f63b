import { writeFile } from 'node:fs/promises'
import { createTestCa, startUpstream, tempDir } from '@svc/test-kit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { MP4, PNG, toDataUrl, WAV } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

interface ErrorBody {
  readonly error: { readonly message: string; readonly param: string | null; readonly type: string }
}

/** Gives the media of the mock's last prediction. */
function shown(server: TestServer, model = 'm') {
  const start = server.records(model).findLast(({ event, rpc }) => event === 'start' && rpc.startsWith('Predict'))
  if (start === undefined) throw new Error('the backend was asked nothing')
  const { Images, Audios, Videos, Prompt, Messages } = start.request as {
    Images: string[]
    Audios: string[]
    Videos: string[]
    Prompt: string
    Messages: { content: string }[]
  }
  return { Images, Audios, Videos, Prompt, contents: Messages.map(({ content }) => content) }
}

const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } })
const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const SEES = { known_input_modalities: ['text', 'image', 'audio', 'video'] }
const png = PNG.toString('base64')
const wav = WAV.toString('base64')
const mp4 = MP4.toString('base64')

describe('media in a chat', () => {
  it('reach the backend as base64, each kind in its order, beside the text', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, SEES)
    const reply = await server.chat('m', {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'one ' }, image(toDataUrl('image/png', PNG))] },
        { role: 'assistant', content: 'seen' },
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
            { type: 'text', text: 'two' },
            { type: 'image', image_url: { url: toDataUrl('image/png', PNG) } },
            { type: 'video_url', video_url: { url: toDataUrl('video/mp4', MP4) } },
            { type: 'audio_url', audio_url: { url: toDataUrl('audio/wav', WAV) } },
            { type: 'file', file: { file_data: toDataUrl('image/png', PNG), filename: 'x.png' } },
          ],
        },
      ],
    })
    expect(reply.status).toBe(200)
    expect(shown(server)).toEqual({
      Images: [png, png, png],
      Audios: [wav, wav],
      Videos: [mp4],
      Prompt: '',
      contents: ['one ', 'seen', 'two'],
    })
  })

  it('leave markers in prompts that are written here, as the template of the model says', async () => {
    await using server = await startTestServer()
    const chat = '{{.Input}}'
    const message = '{{.RoleName}}: {{.Content}}'
    await server.model('m', {}, { ...SEES, template: { chat, chat_message: message } })
    const multimodal = '{{range .Images}}<img{{.ID}}>{{end}}{{.Text}}'
    await server.model('own', {}, { ...SEES, template: { chat, chat_message: message, multimodal } })
    const body = user(
      image(toDataUrl('image/png', PNG)),
      { type: 'text', text: 'what?' },
      { type: 'input_audio', input_audio: { data: wav } },
      image(toDataUrl('image/png', PNG)),
    )
    await server.chat('m', body)
    expect(shown(server)).toMatchObject({
      Prompt: 'user: <__media__><__media__><__media__>what?',
      Images: [png, png],
      Audios: [wav],
    })
    await server.chat('own', { ...body, stream: true })
    expect(shown(server, 'own')).toMatchObject({ Prompt: 'user: <img0><img1>what?', Images: [png, png] })
  })

  it('are fetched from where the operator allows it, and from nowhere else inside', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(({ path }) =>
      path === '/away'
        ? { status: 302, headers: { location: `http://127.0.0.2:${upstream.port}/x.png` } }
        : { headers: { 'content-type': 'image/png' }, body: PNG },
    )
    const at = (host: string, path = '/x.png') => user(image(`http://${host}:${upstream.port}${path}`))
    const refused = async (server: TestServer, body: Record<string, unknown>) => {
      const reply = await server.chat('m', body)
      expect(reply.status).toBe(400)
      return (reply.json() as ErrorBody).error
    }
    const notAllowed = {
      message: 'messages[0].content[0]: the URL is not allowed: only public http and https addresses are fetched',
      param: 'messages[0].content[0]',
      type: 'invalid_request_error',
    }
    await using closed = await startTestServer()
    await closed.model('m', {}, SEES)
    expect(await refused(closed, at('127.0.0.1'))).toMatchObject(notAllowed)
    expect(await refused(closed, at('localhost'))).toMatchObject(notAllowed)
    expect(upstream.requests).toEqual([])

    await using open = await startTestServer({ flags: ['--content-url-allow=127.0.0.1,localhost'] })
    await open.model('m', {}, SEES)
    expect((await open.chat('m', at('127.0.0.1'))).status).toBe(200)
    expect(shown(open).Images).toEqual([png])
    expect((await open.chat('m', at('localhost'))).status).toBe(200)
    expect(await refused(open, at('127.0.0.1', '/away'))).toMatchObject(notAllowed)
    expect(await refused(open, at('127.0.0.2'))).toMatchObject(notAllowed)
  })

  it('are fetched from where authorities vouch that SSL_CERT_FILE names, as they are for upstreams', async () => {
    await using folder = await tempDir()
    const ca = createTestCa()
    await writeFile(folder.join('authority.pem'), ca.cert)
    await using upstream = await startUpstream({ protocol: 'https', ca })
    upstream.replyWith({ headers: { 'content-type': 'image/png' }, body: PNG })
    const flags = ['--content-url-allow=localhost']
    for (const [env, status] of [
      [{ SSL_CERT_FILE: folder.join('authority.pem') }, 200],
      [{}, 400],
    ] as const) {
      await using server = await startTestServer({ flags, env })
      await server.model('m', {}, SEES)
      expect((await server.chat('m', user(image(`${upstream.origin}/x.png`)))).status).toBe(status)
    }
    expect(upstream.requests).toHaveLength(1)
  })

  // verifies chat:media:no-modality
  it('are refused by models that cannot take them, before anything is fetched', async () => {
    await using upstream = await startUpstream()
    await using server = await startTestServer({ flags: ['--content-url-allow=127.0.0.1'] })
    await server.model('text')
    await server.model('pictures', {}, { known_input_modalities: ['image'] })
    const sound = { type: 'audio_url', audio_url: { url: `http://127.0.0.1:${upstream.port}/x.wav` } }
    for (const [model, kind, part] of [
      ['text', 'image', image(`http://127.0.0.1:${upstream.port}/x.png`)],
      ['text', 'file', { type: 'file', file: { file_data: toDataUrl('image/png', PNG) } }],
      ['pictures', 'audio', sound],
    ] as const) {
      const reply = await server.chat(model, user({ type: 'text', text: 'a' }, part))
      expect([reply.status, (reply.json() as ErrorBody).error]).toEqual([
        400,
        expect.objectContaining({
          message: `messages[0].content[1]: this model takes no ${kind}`,
          param: 'messages[0].content[1]',
        }),
      ])
    }
    expect(upstream.requests).toEqual([])
  })

  it.each([
    ['a file that only has a name', { type: 'file', file: { file_id: 'file-1' } }],
    ['a file of nothing', { type: 'file', file: {} }],
    ['a part of no known type', { type: 'hologram', hologram: {} }],
    ['a path', image('/etc/passwd')],
    ['a document', { type: 'file', file: { file_data: toDataUrl('application/pdf', Buffer.from('%PDF-1.7')) } }],
    ['invalid base64', { type: 'input_audio', input_audio: { data: '***', format: 'wav' } }],
  ])('are refused when they cannot be read: %s', async (_, part) => {
    await using server = await startTestServer()
    await server.model('m', {}, SEES)
    const reply = await server.chat('m', user(part))
    expect([reply.status, (reply.json() as ErrorBody).error.param]).toEqual([400, 'messages[0].content[0]'])
    expect(server.records('m').filter(({ rpc }) => rpc.startsWith('Predict'))).toEqual([])
  })

  it('come from the official client, streamed too', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'A red point.' } }] }, SEES)
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: toDataUrl('image/png', PNG), detail: 'auto' } },
      { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
      { type: 'file', file: { file_data: toDataUrl('image/png', PNG), filename: 'x.png' } },
    ]
    const body = { model: 'm', messages: [{ role: 'user' as const, content }] }
    const { choices } = await client.chat.completions.create(body)
    expect(choices[0]?.message.content).toBe('A red point.')
    expect(await client.chat.completions.stream(body).finalContent()).toBe('A red point.')
    expect(shown(server)).toMatchObject({ Images: [png, png], Audios: [wav], contents: ['What is it?'] })
    const bad = [{ type: 'image_url' as const, image_url: { url: 'ftp://a.example/x.png' } }]
    await expect(
      client.chat.completions.create({ ...body, messages: [{ role: 'user', content: bad }] }),
    ).rejects.toThrow(OpenAI.BadRequestError)
  })

  it('are not embedded', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { ...SEES, known_usecases: ['embeddings'] })
    const reply = await server.post('/v1/embeddings', { model: 'm', ...user(image(toDataUrl('image/png', PNG))) })
    expect([reply.status, (reply.json() as ErrorBody).error.param]).toEqual([400, 'messages[0].content[0]'])
  })
})
