import { toCount, toFields, toList, toNumber, toText } from '@svc/proxy/replies'
import { undecodable, unsupported } from './status.ts'
import { readNumbers } from './text.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'

/** Options of detecting objects in an image. Zeros and empty values are left out. */
export interface DetectInput {
  /** A data URI. */
  readonly image: string
  readonly prompt: string
  /** x, y and label of each point, in one list. */
  readonly points: readonly number[]
  /** The corners of each box, in one list. */
  readonly boxes: readonly number[]
  readonly threshold: number
}

/** An object detected in an image, in pixels. */
export interface DetectedThing {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** 0..1 */
  readonly confidence: number
  readonly className: string
  /** A PNG; empty without a mask. */
  readonly mask: Uint8Array
}

/** Detects objects in an image. */
export async function detect(
  transport: ServiceTransport,
  input: DetectInput,
  call: ServiceCall,
): Promise<readonly DetectedThing[]> {
  const path = '/v1/detection'
  const { image, ...rest } = input
  const reply = await transport.ask(
    path,
    { json: { model: transport.target.model, image, ...dropZeros({ ...rest }) } },
    call,
  )
  if (!Array.isArray(reply.detections)) throw undecodable(path)
  return reply.detections.map(toFields).map((thing) => ({
    x: toNumber(thing.x) ?? 0,
    y: toNumber(thing.y) ?? 0,
    width: toNumber(thing.width) ?? 0,
    height: toNumber(thing.height) ?? 0,
    confidence: toNumber(thing.confidence) ?? 0,
    className: toText(thing.class_name) ?? '',
    mask: Buffer.from(toText(thing.mask) ?? '', 'base64'),
  }))
}

/** Input of depth estimation. */
export interface DepthInput {
  /** A data URI. */
  readonly image: string
  readonly includeDepth: boolean
  readonly includeConfidence: boolean
  readonly includePose: boolean
  readonly includeSky: boolean
  readonly includePoints: boolean
  readonly pointsConfidenceThreshold: number
  /** Files to write: no route provides them (§6.5). */
  readonly exports: readonly string[]
}

/** Distances, row by row. */
export interface DepthMap {
  readonly width: number
  readonly height: number
  readonly depth: readonly number[]
  readonly confidence: readonly number[]
  readonly sky: readonly number[]
  readonly extrinsics: readonly number[]
  readonly intrinsics: readonly number[]
  readonly numPoints: number
  readonly points: readonly number[]
  readonly pointColors: Uint8Array
  readonly isMetric: boolean
}

/**
 * Estimates the depth of an image.
 *
 * @throws {SvcError} `not_implemented` when files are to be written
 */
export async function measureDepth(
  transport: ServiceTransport,
  input: DepthInput,
  call: ServiceCall,
): Promise<DepthMap> {
  if (input.exports.length > 0) throw unsupported('exports of depth')
  const path = '/v1/depth'
  const json = {
    model: transport.target.model,
    image: input.image,
    ...dropZeros({
      include_depth: input.includeDepth,
      include_confidence: input.includeConfidence,
      include_pose: input.includePose,
      include_sky: input.includeSky,
      include_points: input.includePoints,
      points_conf_thresh: input.pointsConfidenceThreshold,
    }),
  }
  const reply = await transport.ask(path, { json }, call)
  const width = toCount(reply.width)
  const height = toCount(reply.height)
  if (width === undefined || height === undefined) throw undecodable(path)
  const numbers = (value: unknown): readonly number[] => readNumbers(toList(value), path)
  return {
    width,
    height,
    depth: numbers(reply.depth),
    confidence: numbers(reply.confidence),
    sky: numbers(reply.sky),
    extrinsics: numbers(reply.extrinsics),
    intrinsics: numbers(reply.intrinsics),
    numPoints: toCount(reply.num_points) ?? 0,
    points: numbers(reply.points),
    pointColors: Buffer.from(toText(reply.point_colors) ?? '', 'base64'),
    isMetric: reply.is_metric === true,
  }
}
