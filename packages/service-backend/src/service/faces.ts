import { toFields, toNumber, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { readShares, readTraits, type Traits } from './traits.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'
import { readVerification, requestVerification, type Verification, type VerifyInput } from './verification.ts'

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
export interface AnalyzedFace extends Traits {
  readonly region: Area
  readonly faceConfidence: number
  readonly dominantRace: string
  readonly race: Readonly<Record<string, number>>
  readonly isReal: boolean
  readonly antispoofScore: number
}

/** Compares two faces. */
export async function verifyFaces(
  transport: ServiceTransport,
  input: VerifyInput,
  call: ServiceCall,
): Promise<FaceVerification> {
  const reply = await requestVerification(
    transport,
    { path: '/v1/face/verify', names: ['img1', 'img2'], ...input },
    call,
  )
  return {
    ...readVerification(reply),
    areas: [readArea(reply.img1_area), readArea(reply.img2_area)],
    real: [reply.img1_is_real === true, reply.img2_is_real === true],
    antispoofScores: [toNumber(reply.img1_antispoof_score) ?? 0, toNumber(reply.img2_antispoof_score) ?? 0],
  }
}

/** Analyzes the faces of an image. @param input.actions any of age, gender, emotion, race; empty means all */
export async function analyzeFaces(
  transport: ServiceTransport,
  input: { readonly image: string; readonly actions: readonly string[]; readonly antiSpoofing: boolean },
  call: ServiceCall,
): Promise<readonly AnalyzedFace[]> {
  const path = '/v1/face/analyze'
  const rest = dropZeros({ actions: input.actions, anti_spoofing: input.antiSpoofing })
  const reply = await transport.ask(path, { json: { model: transport.target.model, img: input.image, ...rest } }, call)
  if (!Array.isArray(reply.faces)) throw undecodable(path)
  return reply.faces.map(toFields).map((face) => ({
    ...readTraits(face),
    region: readArea(face.region),
    faceConfidence: toNumber(face.face_confidence) ?? 0,
    dominantRace: toText(face.dominant_race) ?? '',
    race: readShares(face.race),
    isReal: face.is_real === true,
    antispoofScore: toNumber(face.antispoof_score) ?? 0,
  }))
}

function readArea(value: unknown): Area {
  const { x, y, w, h } = toFields(value)
  return { x: toNumber(x) ?? 0, y: toNumber(y) ?? 0, w: toNumber(w) ?? 0, h: toNumber(h) ?? 0 }
}
