import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { float32, unitInterval } from '../scalars.ts'

/** Most numbers of points, and of boxes. */
export const MAX_MARKS = 4096

const numbers = (size: number, what: string) =>
  endAtFirstFault(z.array(float32)).refine((all) => all.length % size === 0, `must be ${what}`)

/** Body of `POST /v1/detection`. */
export const detectionRequest = z.looseObject({
  model: z.string().nullish(),
  /** The image: an http or https URL, a data URL, or base64. */
  image: z.string().min(1),
  /** Names the objects. @default all that the model knows */
  prompt: z.string().nullish(),
  /** Points of objects: x, y and a label each. */
  points: numbers(3, 'triples of x, y and label').nullish(),
  /** Boxes around objects: x1, y1, x2 and y2 each. */
  boxes: numbers(4, 'quadruples of x1, y1, x2 and y2').nullish(),
  /** Least confidence. @default the model's own */
  threshold: unitInterval.nullish(),
})

/** An object in an image, with its box in points of the image. */
export const detection = z.looseObject({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  class_name: z.string(),
  confidence: z.number(),
  /** Outline of the object: a PNG image in base64. */
  mask: z.string().exactOptional(),
})

/** Reply of `POST /v1/detection`. */
export const detectionList = z.looseObject({ detections: z.array(detection) })

/** Body of `POST /v1/detection`. */
export type DetectionRequest = z.infer<typeof detectionRequest>
/** An object in an image. */
export type Detection = z.infer<typeof detection>
/** Reply of `POST /v1/detection`. */
export type DetectionList = z.infer<typeof detectionList>
