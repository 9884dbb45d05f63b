import type { OperationFigures } from '../operation-figures.ts'

/** A file that a backend has written. */
export interface MadeFile {
  readonly path: string
  /** The type that its first bytes show. */
  readonly mediaType: string
  readonly sizeBytes: number
}

/** Files that a backend has written, in the order of the calls. They exist until the result is released. */
export interface MadeFiles extends OperationFigures {
  readonly files: readonly MadeFile[]
}

/** A prompt to draw. */
export interface MakeImageRequest {
  readonly kind: 'make-image'
  readonly prompt: string
  /** Text that says what the image must not show. @default the model's own */
  readonly negativePrompt?: string | undefined
  /** Number of images, at least 1. */
  readonly count: number
  /** Points. */
  readonly width: number
  readonly height: number
  /** Steps of drawing. @default the model's own, else {@link defaultSteps} */
  readonly steps?: number | undefined
  readonly defaultSteps: number
  /** Seed of the first image; the next ones count on. @default the model's own, else at random */
  readonly seed?: number | undefined
  /** Layers of the text encoder that are left out. @default the model's own */
  readonly clipSkip?: number | undefined
  /** Path of the image to start from. @default none */
  readonly source?: string | undefined
  /** Paths of further images. */
  readonly references: readonly string[]
}

/** An image to enlarge. */
export interface UpscaleImageRequest {
  readonly kind: 'upscale-image'
  /** Path of the image. */
  readonly source: string
  /** How many times wider and higher it becomes. */
  readonly scale: number
}

/** A prompt to film. Numbers that are left out are chosen by the backend. */
export interface MakeVideoRequest {
  readonly kind: 'make-video'
  readonly prompt: string
  /** @default the model's own */
  readonly negativePrompt?: string | undefined
  /** Paths of the first and the last image, and of the sound. @default none */
  readonly startImage?: string | undefined
  readonly endImage?: string | undefined
  readonly audio?: string | undefined
  /** Points. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly frames?: number | undefined
  readonly framesPerSecond?: number | undefined
  /** @default the model's own, else the choice of the backend */
  readonly seed?: number | undefined
  /** @default the model's own */
  readonly cfgScale?: number | undefined
  /** @default the model's own */
  readonly steps?: number | undefined
  /** Further settings, as the backend names them. */
  readonly params: Readonly<Record<string, string>>
}

/** An image in which objects are searched. */
export interface DetectObjectsRequest {
  readonly kind: 'detect-objects'
  /** The image in base64. */
  readonly image: string
  /** Names the objects. @default all that the model knows */
  readonly prompt: string
  /** Triples of x, y and label. */
  readonly points: readonly number[]
  /** Quadruples of two corners. */
  readonly boxes: readonly number[]
  /** Least confidence, 0 to 1. 0 = the backend's own. */
  readonly threshold: number
}

/** An object in an image. Its box is in points of the image. */
export interface DetectedObject {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly className: string
  readonly confidence: number
  /** A PNG image of its outline. */
  readonly mask?: Uint8Array | undefined
}

/** The objects in the order of the backend. */
export interface DetectObjectsResult extends OperationFigures {
  readonly objects: readonly DetectedObject[]
}

/** Operations on images and films. */
export interface ImageOperations {
  readonly 'make-image': { readonly request: MakeImageRequest; readonly result: MadeFiles }
  readonly 'upscale-image': { readonly request: UpscaleImageRequest; readonly result: MadeFiles }
  readonly 'make-video': { readonly request: MakeVideoRequest; readonly result: MadeFiles }
  readonly 'detect-objects': { readonly request: DetectObjectsRequest; readonly result: DetectObjectsResult }
}
