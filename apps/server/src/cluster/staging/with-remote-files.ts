import { posix } from 'node:path'
import type { BackendClient } from '@svc/backend-client'
import { type SentFolders, toPlace } from './places.ts'
import { createRequestFiles, type RequestFilesOptions, type RequestTransfer } from './request-files.ts'
import { createVoiceFiles } from './voice-files.ts'

/** Options of {@link withRemoteFiles}. */
export interface RemoteFilesOptions extends Omit<RequestFilesOptions, 'address'> {
  readonly node: {
    /** `host:port` of the worker's file server. */
    readonly httpAddress: string
  }
  /** The models folder here and the process there, to find weights that a request names. @default found by their name */
  readonly models?: { readonly folder: string; readonly processKey: string } | undefined
  /** Folders of which files that a request names as a voice are sent. @default none is sent */
  readonly folders?: SentFolders | undefined
  /** Whether the worker has the same models folder: paths of weights stay. @default false */
  readonly isShared?: boolean | undefined
}

type Options = { readonly signal?: AbortSignal | undefined }

/** Fields of a request with files. */
interface FileFields<Request> {
  /** Paths that the backend reads; other texts in them, such as base64, stay. */
  readonly inputs: readonly (keyof Request & string)[]
  /** The path that the backend writes. */
  readonly output?: (keyof Request & string) | undefined
}

/**
 * A client whose calls send the files of their request to the worker first, and fetch the file of their reply after. Bytes
 * inside messages stay there. What was sent is removed at the worker when the call ends, however it ends.
 */
export function withRemoteFiles(client: BackendClient, options: RemoteFilesOptions): BackendClient {
  const files = createRequestFiles({ ...options, address: options.node.httpAddress })
  const weights = createWeightsFinder(options, files.find)
  const translateSpeech = createSpeechTranslation(options, weights.translate)

  function unary<Request extends object, Reply>(
    call: (request: Request, callOptions?: Options) => Promise<Reply>,
    fields: FileFields<Request>,
    prepare: (request: Request, signal: AbortSignal) => Promise<Request> = async (request) => request,
  ): typeof call {
    return (request, callOptions = {}) =>
      files.during(callOptions.signal, async (transfer) => {
        const sent = await send(await prepare(request, transfer.signal), fields, transfer)
        const reply = await call(sent.request, callOptions)
        return isFailure(reply) ? reply : await sent.receive(reply)
      })
  }

  const { extensions } = client
  const { isShared = false } = options
  return {
    ...client,
    async loadModel(request, callOptions) {
      const reply = await client.loadModel(request, callOptions)
      if (reply.success) weights.note(request.ModelFile ?? '')
      return reply
    },
    // A cache of prompts is at no path that both sides have; without it the engine does its work again.
    predict: isShared ? client.predict : (request, given) => client.predict(withoutCache(request), given),
    predictStream: isShared
      ? client.predictStream
      : (request, given) => client.predictStream(withoutCache(request), given),
    audioTranscription: unary(client.audioTranscription, { inputs: ['dst'] }),
    async *audioTranscriptionStream(request, callOptions = {}) {
      yield* files.duringStream(callOptions.signal, async function* (transfer) {
        const sent = await send(request, { inputs: ['dst'] }, transfer)
        yield* client.audioTranscriptionStream(sent.request, callOptions)
      })
    },
    tts: unary(client.tts, { inputs: [], output: 'dst' }, translateSpeech),
    async *ttsStream(request, callOptions = {}) {
      const signal = callOptions.signal ?? new AbortController().signal
      yield* client.ttsStream(await translateSpeech(request, signal), callOptions)
    },
    soundGeneration: unary(client.soundGeneration, { inputs: ['src'], output: 'dst' }, weights.translate),
    soundDetection: unary(client.soundDetection, { inputs: ['src'] }),
    diarize: unary(client.diarize, { inputs: ['dst'] }),
    audioTransform: unary(client.audioTransform, { inputs: ['audioPath', 'referencePath'], output: 'dst' }),
    voiceVerify: unary(client.voiceVerify, { inputs: ['audio1', 'audio2'] }),
    voiceAnalyze: unary(client.voiceAnalyze, { inputs: ['audio'] }),
    voiceEmbed: unary(client.voiceEmbed, { inputs: ['audio'] }),
    generateImage: unary(client.generateImage, { inputs: ['src', 'refImages'], output: 'dst' }),
    upscaleImage: unary(client.upscaleImage, { inputs: ['src'], output: 'dst' }),
    generateVideo: unary(client.generateVideo, { inputs: ['startImage', 'endImage', 'audio'], output: 'dst' }),
    generate3D: unary(client.generate3D, { inputs: ['src'], output: 'dst' }),
    detect: unary(client.detect, { inputs: ['src'] }),
    depth: unary(client.depth, { inputs: ['src'] }),
    extensions: {
      ...extensions,
      saveSlot: unary(extensions.saveSlot, { inputs: [], output: 'path' }),
      restoreSlot: unary(extensions.restoreSlot, { inputs: ['path'] }),
    },
    async [Symbol.asyncDispose]() {
      await files.close()
      await client[Symbol.asyncDispose]()
    },
  }
}

type Translate = <Request extends { readonly model?: string | undefined }>(
  request: Request,
  signal: AbortSignal,
) => Promise<Request>

/** Finds the weights of a request to speak, and sends the file that it names as a voice. */
function createSpeechTranslation(options: RemoteFilesOptions, translate: Translate) {
  const { folders, models, isShared = false, node } = options
  const voices =
    folders === undefined || models === undefined || isShared
      ? undefined
      : createVoiceFiles({ ...options, folders, processKey: models.processKey, address: node.httpAddress })
  return async <Request extends { readonly model?: string | undefined; readonly voice?: string | undefined }>(
    request: Request,
    signal: AbortSignal,
  ): Promise<Request> => {
    const found = await translate(request, signal)
    if (voices === undefined || !found.voice) return found
    return { ...found, voice: await voices.send(found.voice, signal) }
  }
}

function withoutCache<Request extends { readonly PromptCachePath?: string | undefined }>(request: Request): Request {
  return request.PromptCachePath ? { ...request, PromptCachePath: '' } : request
}

async function send<Request extends object>(
  request: Request,
  { inputs, output }: FileFields<Request>,
  transfer: RequestTransfer,
): Promise<{ readonly request: Request; receive<Reply>(reply: Reply): Promise<Reply> }> {
  const changes: Record<string, unknown> = {}
  for (const name of inputs) {
    const value: unknown = request[name]
    if (typeof value === 'string') changes[name] = await transfer.send(value)
    else if (Array.isArray(value)) changes[name] = await sendAll(value, transfer)
  }
  const path: unknown = output === undefined ? undefined : request[output]
  const result = typeof path === 'string' && path !== '' ? await transfer.prepareResult(path) : undefined
  if (output !== undefined && result !== undefined) changes[output] = result.path
  return {
    request: { ...request, ...changes },
    async receive(reply) {
      await result?.fetch()
      const isNamed = typeof reply === 'object' && reply !== null && 'dst' in reply && reply.dst === result?.path
      return isNamed ? { ...reply, dst: path } : reply
    },
  }
}

async function sendAll(values: readonly unknown[], transfer: RequestTransfer): Promise<readonly unknown[]> {
  const sent: unknown[] = []
  for (const value of values) sent.push(typeof value === 'string' ? await transfer.send(value) : value)
  return sent
}

const isFailure = (reply: unknown): boolean =>
  typeof reply === 'object' && reply !== null && 'success' in reply && reply.success === false

/** Finds weights at the worker: they were sent before the model was loaded. */
function createWeightsFinder(
  { models, isShared }: RemoteFilesOptions,
  find: (key: string, signal: AbortSignal) => Promise<string | undefined>,
) {
  const known = new Map<string, string>()
  let loadedFile = ''

  async function toRemote(path: string, signal: AbortSignal): Promise<string> {
    if (!posix.isAbsolute(path)) return path
    const place = models && toPlace(path, { models: models.folder, data: models.folder })
    if (place !== undefined) {
      if (loadedFile.endsWith(`/${place.inner}`)) return loadedFile
      const found = known.get(path) ?? (await find(`models/${models?.processKey}/${place.inner}`, signal))
      if (found !== undefined && known.size < 100) known.set(path, found)
      return found ?? place.inner
    }
    const name = posix.basename(path)
    return posix.basename(loadedFile) === name ? loadedFile : name
  }

  return {
    note(file: string): void {
      loadedFile = file
      known.clear()
    },
    async translate<Request extends { readonly model?: string | undefined }>(
      request: Request,
      signal: AbortSignal,
    ): Promise<Request> {
      if (isShared || request.model === undefined) return request
      return { ...request, model: await toRemote(request.model, signal) }
    },
  }
}
