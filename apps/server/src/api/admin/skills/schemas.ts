import * as z from 'zod'

const facts = {
  description: z.string().describe('What the skill does and when to use it.'),
  content: z.string().describe('The instructions, Markdown.'),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  'allowed-tools': z.string().optional(),
}

/** A skill in replies. */
export const skillReply = z.object({ name: z.string(), ...facts, readOnly: z.boolean() })

/** Reply of `GET /api/agents/skills` and of a search. */
export const skillList = z.array(skillReply)

/** Body of `PUT /api/agents/skills/:name`. */
export const skillUpdate = z.object({ ...facts, content: facts.content.default('') })

/** Body of `POST /api/agents/skills`. */
export const skillDraft = skillUpdate.extend({
  name: z.string().describe('1 to 64 lower-case letters, digits and single hyphens between them.'),
})

/** Reply of `GET /api/agents/skills/config`. */
export const skillConfig = z.object({
  enabled: z.boolean().describe('Whether agents are offered skills.'),
  skills_dir: z.string(),
})

/** Query of a search. */
export const skillQuery = z.object({ q: z.string().optional().describe('Words that a skill must have.') })

/** Form of an import. */
export const skillForm = z.object({
  file: z.string().meta({ format: 'binary' }).describe('A tar archive, also gzipped, or a ZIP archive.'),
})

const resource = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int(),
  mime_type: z.string(),
  readable: z.boolean(),
  modified: z.string(),
})

/** Reply of `GET /api/agents/skills/:name/resources`. */
export const resourceList = z.object({
  scripts: z.array(resource),
  references: z.array(resource),
  assets: z.array(resource),
  others: z.array(resource),
  readOnly: z.boolean(),
})

/** Query of `GET /api/agents/skills/:name/resources/*`. */
export const resourceQuery = z.object({
  encoding: z.string().optional().describe('`base64` gives JSON with the bytes.'),
})

/** JSON reply of a resource. */
export const resourceContent = z.object({
  content: z.string(),
  encoding: z.string(),
  mime_type: z.string(),
  size: z.int(),
})

/** Form of a new resource. */
export const resourceForm = z.object({
  file: z.string().meta({ format: 'binary' }),
  path: z.string().optional().describe('The name of the file when it is left out.'),
})

/** Reply of a new resource. */
export const resourceMade = z.object({ path: z.string() })

/** Body of a changed resource. */
export const resourceBody = z.object({ content: z.string() })

/** Reply of a change. */
export const skillStatus = z.object({ status: z.string() })

/** Reply of `GET /api/agents/git-repos`. */
export const repositoryList = z.array(z.object({ id: z.string(), url: z.string() }))
