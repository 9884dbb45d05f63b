import { SvcError } from '@svc/errors'
import * as z from 'zod'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { INSTRUCTIONS, type Instruction } from './instruction-texts.ts'

const entry = z.object({ name: z.string(), description: z.string(), tags: z.array(z.string()), url: z.string() })
const listReply = z.object({ instructions: z.array(entry), hint: z.string() })

function toFragment(instruction: Instruction, document: Record<string, unknown>): Record<string, unknown> {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, { tags?: string[] }>>).filter(
    ([, item]) =>
      Object.values(item).some((operation) => operation.tags?.some((tag) => instruction.tags.includes(tag))),
  )
  return { paths: Object.fromEntries(paths) }
}

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'discovery' } as const

/** `/api/instructions` and its pages (§4.1). */
export function instructionRoutes(document: () => Record<string, unknown>): Route[] {
  return [
    defineRoute({
      ...common,
      path: '/api/instructions',
      summary: 'Pages about the areas of the API',
      responses: { 200: { description: 'The pages.', schema: listReply } },
      handler: () =>
        json({
          instructions: INSTRUCTIONS.map(({ name, description, tags }) => ({
            name,
            description,
            tags: [...tags],
            url: `/api/instructions/${name}`,
          })),
          hint: 'GET a url for its page in markdown, or with ?format=json for the part of the OpenAPI document.',
        } satisfies z.infer<typeof listReply>),
    }),
    defineRoute({
      ...common,
      path: '/api/instructions/:name',
      family: 'flat',
      summary: 'One page, as markdown or JSON',
      query: z.object({ format: z.enum(['json', 'markdown']).optional() }),
      responses: {
        200: { description: 'The page.', contentType: 'text/markdown' },
        404: { description: 'No such page.' },
      },
      handler(call) {
        const name = call.param('name')
        const instruction = INSTRUCTIONS.find((candidate) => candidate.name === name)
        if (instruction === undefined) throw new SvcError('not_found', `instruction not found: ${name}`)
        if (call.query('format') === 'json') {
          const { description, tags } = instruction
          return json({ name, description, tags, swagger_fragment: toFragment(instruction, document()) })
        }
        const text = instruction.markdown.replaceAll('{base_url}', call.baseUrl)
        return new Response(text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
      },
    }),
  ]
}
