import { type Fields, fieldsOf, numberOf, textOf } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { numbersOf } from './text.ts'
import { type ServiceCall, type ServiceTransport, withoutZeros } from './transport.ts'

/** Two faces or two voices to compare, as base64. */
export interface VerifyInput {
  readonly first: string
  readonly second: string
  /** Cosine distance; 0 means the model's own. */
  readonly threshold: number
  readonly antiSpoofing: boolean
}

/** Result of a comparison. */
export interface Verification {
  readonly verified: boolean
  readonly distance: number
  readonly threshold: number
  /** 0..100 */
  readonly confidence: number
  readonly model: string
  readonly processingTimeMs: number
}

/** An area of an image, in pixels. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Result of comparing faces, with their areas. */
export interface FaceVerification extends Verification {
  readonly areas: readonly [Area, Area]
  readonly real: readonly [boolean, boolean]
  readonly antispoofScores: readonly [number, number]
}

/** Attributes of a face. Shares are 0..1 or 0..100, as the model gives them. */
export interface AnalyzedFace {
  readonly region: Area
  readonly faceConfidence: number
  readonly age: number
  readonly dominantGender: string
  readonly gender: Readonly<Record<string, number>>
  readonly dominantEmotion: string
  readonly emotion: Readonly<Record<string, number>>
  readonly dominantRace: string
  readonly race: Readonly<Record<string, number>>
  readonly isReal: boolean
  readonly antispoofScore: number
}

/** Attributes of a voice in a range of seconds. */
export interface AnalyzedVoice {
  readonly start: number
  readonly end: number
  readonly age: number
  readonly dominantGender: string
  readonly gender: Readonly<Record<string, number>>
  readonly dominantEmotion: string
  readonly emotion: Readonly<Record<string, number>>
}

/** Compares two faces. */
export async function verifyFaces(
  transport: ServiceTransport,
  input: VerifyInput,
  call: ServiceCall,
): Promise<FaceVerification> {
  const reply = await verify(transport, { path: '/v1/face/verify', names: ['img1', 'img2'], ...input }, call)
  return {
    ...readVerification(reply),
    areas: [readArea(reply.img1_area), readArea(reply.img2_area)],
    real: [reply.img1_is_real === true, reply.img2_is_real === true],
    antispoofScores: [numberOf(reply.img1_antispoof_score) ?? 0, numberOf(reply.img2_antispoof_score) ?? 0],
  }
}

/** Compares two voices. */
export async function verifyVoices(
  transport: ServiceTransport,
  input: VerifyInput,
  call: ServiceCall,
): Promise<Verification> {
  const asked = { path: '/v1/voice/verify', names: ['audio1', 'audio2'], ...input } as const
  return readVerification(await verify(transport, asked, call))
}

/** Analyzes the faces of an image. @param input.actions any of age, gender, emotion, race; empty means all */
export async function analyzeFaces(
  transport: ServiceTransport,
  input: { readonly image: string; readonly actions: readonly string[]; readonly antiSpoofing: boolean },
  call: ServiceCall,
): Promise<readonly AnalyzedFace[]> {
  const path = '/v1/face/analyze'
  const rest = withoutZeros({ actions: input.actions, anti_spoofing: input.antiSpoofing })
  const reply = await transport.ask(path, { json: { model: transport.target.model, img: input.image, ...rest } }, call)
  if (!Array.isArray(reply.faces)) throw undecodable(path)
  return reply.faces.map(fieldsOf).map((face) => ({
    ...readTraits(face),
    region: readArea(face.region),
    faceConfidence: numberOf(face.face_confidence) ?? 0,
    dominantRace: textOf(face.dominant_race) ?? '',
    race: sharesOf(face.race),
    isReal: face.is_real === true,
    antispoofScore: numberOf(face.antispoof_score) ?? 0,
  }))
}

/** Analyzes a voice. @param input.actions any of age, gender, emotion; empty means all */
export async function analyzeVoice(
  transport: ServiceTransport,
  input: { readonly audio: string; readonly actions: readonly string[] },
  call: ServiceCall,
): Promise<readonly AnalyzedVoice[]> {
  const path = '/v1/voice/analyze'
  const rest = withoutZeros({ actions: input.actions })
  const json = { model: transport.target.model, audio: input.audio, ...rest }
  const reply = await transport.ask(path, { json }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return reply.segments
    .map(fieldsOf)
    .map((part) => ({ ...readTraits(part), start: numberOf(part.start) ?? 0, end: numberOf(part.end) ?? 0 }))
}

/** Computes the vector of a voice. */
export async function embedVoice(
  transport: ServiceTransport,
  audio: string,
  call: ServiceCall,
): Promise<{ readonly embedding: readonly number[]; readonly model: string }> {
  const path = '/v1/voice/embed'
  const reply = await transport.ask(path, { json: { model: transport.target.model, audio } }, call)
  if (!Array.isArray(reply.embedding)) throw undecodable(path)
  return { embedding: numbersOf(reply.embedding, path), model: textOf(reply.model) ?? '' }
}

async function verify(
  transport: ServiceTransport,
  asked: VerifyInput & { readonly path: string; readonly names: readonly [string, string] },
  call: ServiceCall,
): Promise<Fields> {
  const { path, names, first, second, threshold, antiSpoofing } = asked
  const pair = { [names[0]]: first, [names[1]]: second }
  const rest = withoutZeros({ threshold, anti_spoofing: antiSpoofing })
  const reply = await transport.ask(path, { json: { model: transport.target.model, ...pair, ...rest } }, call)
  if (typeof reply.verified !== 'boolean') throw undecodable(path)
  return reply
}

function readVerification(reply: Fields): Verification {
  return {
    verified: reply.verified === true,
    distance: numberOf(reply.distance) ?? 0,
    threshold: numberOf(reply.threshold) ?? 0,
    confidence: numberOf(reply.confidence) ?? 0,
    model: textOf(reply.model) ?? '',
    processingTimeMs: numberOf(reply.processing_time_ms) ?? 0,
  }
}

function readTraits(fields: Fields) {
  return {
    age: numberOf(fields.age) ?? 0,
    dominantGender: textOf(fields.dominant_gender) ?? '',
    gender: sharesOf(fields.gender),
    dominantEmotion: textOf(fields.dominant_emotion) ?? '',
    emotion: sharesOf(fields.emotion),
  }
}

function readArea(value: unknown): Area {
  const { x, y, w, h } = fieldsOf(value)
  return { x: numberOf(x) ?? 0, y: numberOf(y) ?? 0, w: numberOf(w) ?? 0, h: numberOf(h) ?? 0 }
}

function sharesOf(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([name, share]) => {
      const number = numberOf(share)
      return number === undefined ? [] : [[name, number] as const]
    }),
  )
}
