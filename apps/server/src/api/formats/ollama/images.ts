import type { Attachment } from '../../../inference/media/attachment.ts'

/**
 * Converts the base64 images of a message.
 *
 * @param param their field, for refusals
 */
export function toAttachments(
  images: readonly string[] | null | undefined,
  param: string,
): { readonly attachments?: readonly Attachment[] } {
  if (images == null || images.length === 0) return {}
  return {
    attachments: images.map((base64, index) => ({ kind: 'image', source: { base64 }, param: `${param}[${index}]` })),
  }
}
