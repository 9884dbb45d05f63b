import {
  CallToolResultSchema,
  ContentBlockSchema,
  GetPromptResultSchema,
  PromptMessageSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'

/**
 * A list whose check ends at the first wrong entry. The library's own lists describe the fault of every entry, which takes
 * seconds for a message of wrong ones.
 */
export function toListSchema<Element extends z.ZodType>(element: Element) {
  return z.array(z.unknown()).transform((entries, context): z.output<Element>[] => {
    const read: z.output<Element>[] = []
    for (const [index, entry] of entries.entries()) {
      const { success, data } = element.safeParse(entry)
      if (!success) {
        context.issues.push({ code: 'custom', message: 'is not of the protocol', input: entry, path: [index] })
        return z.NEVER
      }
      read.push(data)
    }
    return read
  })
}

/** What a call of a tool gives. */
export const callResult = CallToolResultSchema.extend({ content: toListSchema(ContentBlockSchema).default([]) })

/** What a prompt gives. */
export const promptResult = GetPromptResultSchema.extend({ messages: toListSchema(PromptMessageSchema) })

/** What reading a resource gives. */
export const resourceResult = ReadResourceResultSchema.extend({
  contents: toListSchema(ReadResourceResultSchema.shape.contents.element),
})
