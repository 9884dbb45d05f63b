import { compileGoTemplate } from '@svc/templates'
import type { PromptTemplate } from './model-templates.ts'
import type { MediaCounts, PromptMessage } from './prompt-input.ts'
import { toMultimodalData } from './template-data.ts'

/** Stands for a medium in a prompt until the backend's own marker replaces it. */
const MEDIA_MARKER = '<__media__>'
/** Replaces {@link MEDIA_MARKER} in text of a client. Its characters are of a plane that no script uses. */
const WRITTEN_MARKER = '\u{f0000}media\u{f0001}'

const DEFAULT_TEMPLATE = compileGoTemplate(
  `{{range .Audio}}${MEDIA_MARKER}{{end}}{{range .Images}}${MEDIA_MARKER}{{end}}{{range .Video}}[vid-{{.ID}}]{{end}}{{.Text}}`,
)

/** Puts markers of media into the messages of one request, in order. */
export interface MediaWriter {
  /** Gives the text of a message with its markers. */
  write(message: PromptMessage): string
  /** Replaces our markers in a prompt by the backend's. */
  finish(prompt: string): string
}

/**
 * Places markers with `multimodal`, or before the text when the model file has no such template or it fails.
 *
 * @param options.marker the backend's own. With it, client text that looks like our marker stays unchanged. @default
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
      // A function as replacement, because `$&` in a text would be a reference.
      return prompt.replaceAll(MEDIA_MARKER, () => marker).replaceAll(WRITTEN_MARKER, () => MEDIA_MARKER)
    },
  }
}
