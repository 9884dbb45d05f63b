import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Instruction } from './instruction.ts'
import { INSTRUCTIONS } from './instruction-texts.ts'
import type { instructionListReply } from './schemas.ts'

const schemas = () => import('./schemas.ts')

function toFragment(instruction: Instruction, document: Record<string, unknown>): Record<string, unknown> {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, { tags?: string[] }>>).filter(
    ([, item]) =>
      Object.values(item).some((operation) => operation.tags?.some((tag) => instruction.tags.includes(tag))),
  )
  return { paths: Object.fromEntries(paths) }
}

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'discovery' } as const

/** `/api/instructions` and its pages (§4.1). */
export function instructionRoutes(document: () => Promise<Record<string, unknown>>): Route[] {
  return [
    defineRoute({
      ...common,
      path: '/api/instructions',
      summary: 'Pages about the areas of the API',
      responses: { 200: { description: 'The pages.', schema: async () => (await schemas()).instructionListReply } },
      handler: () =>
        json({
          instructions: INSTRUCTIONS.map(({ name, description, tags }) => ({
            name,
            description,
            tags: [...tags],
            url: `/api/instructions/${name}`,
          })),
          hint: 'GET a url for its page in markdown, or with ?format=json for the part of the OpenAPI document.',
        } satisfies z.infer<typeof instructionListReply>),
    }),
    defineRoute({
      ...common,
      path: '/api/instructions/:name',
      family: 'flat',
      summary: 'One page, as markdown or JSON',
      query: async () => (await schemas()).instructionQuery,
      responses: {
        200: { description: 'The page.', contentType: 'text/markdown' },
        404: { description: 'No such page.' },
      },
      async handler(call) {
        const name = call.param('name')
        const instruction = INSTRUCTIONS.find((candidate) => candidate.name === name)
        if (instruction === undefined) throw new SvcError('not_found', `instruction not found: ${name}`)
        if (call.query('format') === 'json') {
          const { description, tags } = instruction
          return json({ name, description, tags, swagger_fragment: toFragment(instruction, await document()) })
        }
        const text = instruction.markdown.replaceAll('{base_url}', call.baseUrl)
        return new HttpReply(text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
      },
    }),
  ]
}
