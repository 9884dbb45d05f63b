import { compileGoTemplate } from '@svc/templates'
import type { PromptTemplate } from './model-templates.ts'
import type { MediaCounts, PromptMessage } from './prompt-input.ts'
import { toMultimodalData } from './template-data.ts'

/** What stands for a medium in a prompt until the backend's own marker takes its place. */
const MEDIA_MARKER = '<__media__>'
/** Stands for {@link MEDIA_MARKER} where a client wrote that as text. Of a plane that no script uses. */
const WRITTEN_MARKER = '\u{f0000}media\u{f0001}'

const DEFAULT_TEMPLATE = compileGoTemplate(
  `{{range .Audio}}${MEDIA_MARKER}{{end}}{{range .Images}}${MEDIA_MARKER}{{end}}{{range .Video}}[vid-{{.ID}}]{{end}}{{.Text}}`,
)

/** Puts markers of media into the messages of one request, in order. */
export interface MediaWriter {
  /** The text of a message with its markers. */
  write(message: PromptMessage): string
  /** A prompt with the backend's markers in the place of ours. */
  finish(prompt: string): string
}

/**
 * Markers by `multimodal`, or before the text where the model's file has none or one that fails.
 *
 * @param options.marker the backend's own. Then text that only reads like our marker stays as it is. @default
 *   {@link MEDIA_MARKER}
 */
export function createMediaWriter(
  template: PromptTemplate | undefined,
  { marker = MEDIA_MARKER }: { readonly marker?: string | undefined },
): MediaWriter {
  const first = { images: 0, audio: 0, video: 0 }
  const isReplaced = marker !== MEDIA_MARKER && marker !== ''

  const render = (text: string, media: MediaCounts): string => {
    const toData = () => toMultimodalData(text, media, first)
    const rendering = template?.render(toData)
    return rendering !== undefined && 'text' in rendering ? rendering.text : DEFAULT_TEMPLATE.render(toData())
  }

  return {
    write({ content, media }) {
      const text = isReplaced ? content.replaceAll(MEDIA_MARKER, WRITTEN_MARKER) : content
      if (media === undefined) return text
      const written = render(text, media)
      first.images += media.images ?? 0
      first.audio += media.audio ?? 0
      first.video += media.video ?? 0
      return written
    },
    finish(prompt) {
      if (!isReplaced) return prompt
      // As functions: `$&` in a marker is no reference.
      return prompt.replaceAll(MEDIA_MARKER, () => marker).replaceAll(WRITTEN_MARKER, () => MEDIA_MARKER)
    },
  }
}
