import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anyObject, count, unitInterval } from '../scalars.ts'

/** Most characters of instructions. */
const MAX_INSTRUCTIONS = 1_000_000
const MAX_TOOLS = 128

const rate = z.int().min(8000).max(48_000)

/** The format of sound: 16-bit samples, little-endian, one channel, or G.711 at 8 kHz. */
export const realtimeAudioFormat = z.union([
  z.looseObject({ type: z.literal('audio/pcm'), rate: rate.nullish() }),
  z.looseObject({ type: z.enum(['audio/pcmu', 'audio/pcma']) }),
])

/** The name of a format in the beta of 2024. */
const realtimeBetaFormat = z.enum(['pcm16', 'g711_ulaw', 'g711_alaw'])

const answers = { create_response: z.boolean().nullish(), interrupt_response: z.boolean().nullish() }

/** How turns are found; null means that the client commits them. */
export const realtimeTurnDetection = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('server_vad'),
    threshold: unitInterval.nullish(),
    prefix_padding_ms: z.int().min(0).max(10_000).nullish(),
    silence_duration_ms: z.int().min(0).max(30_000).nullish(),
    idle_timeout_ms: z.int().min(1000).max(600_000).nullish(),
    ...answers,
  }),
  z.looseObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).nullish(),
    ...answers,
  }),
])

/** How the speech of the client is written down. */
const realtimeTranscription = z.looseObject({
  model: z.string().max(1024).nullish(),
  language: z.string().max(64).nullish(),
  prompt: z.string().max(10_000).nullish(),
})

const noiseReduction = z.looseObject({ type: z.enum(['near_field', 'far_field']) })

const toolNames = z.looseObject({ tool_names: endAtFirstFault(z.array(z.string())).nullish() })

/** A function of the client, or the tools of a server. */
export const realtimeTool = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function'),
    name: z.string().min(1).max(256),
    description: z.string().nullish(),
    parameters: anyObject.nullish(),
  }),
  z.looseObject({
    type: z.literal('mcp'),
    server_label: z.string().min(1).max(64),
    server_url: z.string().max(4096).nullish(),
    authorization: z.string().max(8192).nullish(),
    headers: endAtFirstFault(z.record(z.string(), z.string())).nullish(),
    allowed_tools: z.union([endAtFirstFault(z.array(z.string())), toolNames]).nullish(),
    require_approval: z
      .union([z.enum(['always', 'never']), z.looseObject({ always: toolNames.nullish(), never: toolNames.nullish() })])
      .nullish(),
  }),
])

/** `tool_choice`: a word, a function, or a tool of a server. */
export const realtimeToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.literal('function'), name: z.string() }),
  z.looseObject({ type: z.literal('mcp'), server_label: z.string(), name: z.string().nullish() }),
])

/** What a model answers with. */
const realtimeModalities = z
  .array(z.enum(['text', 'audio']))
  .min(1)
  .max(2)

const voice = z.union([z.string().max(256), z.looseObject({ id: z.string().max(256) })])
const maxTokens = z.union([z.literal('inf'), count.min(1)])

/** Speech of the model. */
const realtimeAudioOutput = z.looseObject({
  format: z.union([realtimeAudioFormat, realtimeBetaFormat]).nullish(),
  voice: voice.nullish(),
  speed: z.number().min(0.25).max(1.5).nullish(),
})

/** Common fields of a session and of a single response. */
const answering = {
  instructions: z.string().max(MAX_INSTRUCTIONS).nullish(),
  tools: endAtFirstFault(z.array(realtimeTool).max(MAX_TOOLS)).nullish(),
  tool_choice: realtimeToolChoice.nullish(),
  output_modalities: realtimeModalities.nullish(),
  max_output_tokens: maxTokens.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  // the beta of 2024
  modalities: realtimeModalities.nullish(),
  max_response_output_tokens: maxTokens.nullish(),
  voice: voice.nullish(),
  output_audio_format: z.union([realtimeBetaFormat, realtimeAudioFormat]).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
}

/** Fields of a session that a client may set. A field that is absent keeps its value. */
export const realtimeSessionFields = z.looseObject({
  type: z.enum(['realtime', 'transcription']).nullish(),
  model: z.string().max(1024).nullish(),
  ...answering,
  audio: z
    .looseObject({
      input: z
        .looseObject({
          format: z.union([realtimeAudioFormat, realtimeBetaFormat]).nullish(),
          transcription: realtimeTranscription.nullish(),
          noise_reduction: noiseReduction.nullish(),
          turn_detection: realtimeTurnDetection.nullish(),
        })
        .nullish(),
      output: realtimeAudioOutput.nullish(),
    })
    .nullish(),
  include: z.array(z.string()).max(16).nullish(),
  prompt: anyObject.nullish(),
  tracing: z.union([z.literal('auto'), anyObject]).nullish(),
  truncation: z.union([z.enum(['auto', 'disabled']), anyObject]).nullish(),
  // the beta of 2024
  input_audio_format: z.union([realtimeBetaFormat, realtimeAudioFormat]).nullish(),
  input_audio_transcription: realtimeTranscription.nullish(),
  input_audio_noise_reduction: noiseReduction.nullish(),
  turn_detection: z.union([realtimeTurnDetection, z.looseObject({ type: z.literal('none') })]).nullish(),
  speed: z.number().min(0.25).max(1.5).nullish(),
})

/** Fields of one response, beside its input. They replace those of the session. */
export const realtimeResponseFields = z.looseObject({
  ...answering,
  audio: z.looseObject({ output: realtimeAudioOutput.nullish() }).nullish(),
  conversation: z.string().max(128).nullish(),
  metadata: endAtFirstFault(z.record(z.string().max(64), z.string().max(512))).nullish(),
  prompt: anyObject.nullish(),
})

/** A format of sound. */
export type RealtimeAudioFormat = z.infer<typeof realtimeAudioFormat>
/** How turns are found. */
export type RealtimeTurnDetection = z.infer<typeof realtimeTurnDetection>
/** How speech is written down. */
export type RealtimeTranscription = z.infer<typeof realtimeTranscription>
/** An entry of `tools`. */
export type RealtimeTool = z.infer<typeof realtimeTool>
/** `tool_choice` as it came. */
export type RealtimeToolChoice = z.infer<typeof realtimeToolChoice>
/** Fields of a session that a client may set. */
export type RealtimeSessionFields = z.infer<typeof realtimeSessionFields>
/** Fields of one response. */
export type RealtimeResponseFields = z.infer<typeof realtimeResponseFields>
