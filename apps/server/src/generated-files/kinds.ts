/** Kinds of files that models make, each with the first part of its addresses. */
export const GENERATED_KINDS = {
  audio: 'generated-audio',
  images: 'generated-images',
  videos: 'generated-videos',
  '3d': 'generated-3d',
} as const

/** A kind of file that models make. */
export type GeneratedKind = keyof typeof GENERATED_KINDS

/** Gives the kind of a file by its address; undefined for any other text. */
export function toKind(address: string): GeneratedKind | undefined {
  const kinds = Object.keys(GENERATED_KINDS) as readonly GeneratedKind[]
  return kinds.find((kind) => address.startsWith(`${GENERATED_KINDS[kind]}/`))
}
