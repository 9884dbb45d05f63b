/** Sound, film, text and images that a request has used beside tokens. */
export interface MediaFigures {
  /** Length of sound or film. */
  readonly seconds?: number | undefined
  /** Characters of text that became sound. */
  readonly characters?: number | undefined
  readonly images?: number | undefined
}

/** Names of the figures in traces and spans. */
const NAMES = { seconds: 'media_seconds', characters: 'spoken_characters', images: 'images' } as const

type MediaFigureName = (typeof NAMES)[keyof typeof NAMES]

/** Names the figures of media, as traces and spans do. Figures of nothing are left out. */
export function nameMediaFigures(media: MediaFigures | undefined): Readonly<Partial<Record<MediaFigureName, number>>> {
  if (media === undefined) return {}
  const { seconds = 0, characters = 0, images = 0 } = media
  return {
    ...(seconds > 0 ? { [NAMES.seconds]: seconds } : {}),
    ...(characters > 0 ? { [NAMES.characters]: characters } : {}),
    ...(images > 0 ? { [NAMES.images]: images } : {}),
  }
}
