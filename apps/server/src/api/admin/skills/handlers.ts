import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { SKILL_LIMITS, type Skill, type SkillResource } from '../../../agents/skills/skill.ts'
import type { Skills } from '../../../agents/skills/skills.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { resourceBody, skillDraft, skillUpdate } from './schemas.ts'

/** Parts of the routes of skills. */
export interface SkillRouteParts {
  readonly skills: { readonly isOffered: boolean; open(): Promise<Skills> }
  readonly bodies: BodyReader
  readonly forms: Pick<FormReader, 'read'>
}

const ARCHIVE_FORM = { files: { file: { maxBytes: SKILL_LIMITS.totalBytes, noun: 'the archive' } } }
const RESOURCE_FORM = { files: { file: { maxBytes: SKILL_LIMITS.fileBytes, noun: 'the file' } } }
const TEXT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css'],
  ['.csv', 'text/csv'],
  ['.html', 'text/html'],
  ['.js', 'text/javascript'],
  ['.json', 'application/json'],
  ['.md', 'text/markdown'],
  ['.py', 'text/x-python'],
  ['.sh', 'text/x-shellscript'],
  ['.ts', 'text/x-typescript'],
  ['.txt', 'text/plain'],
  ['.xml', 'text/xml'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
])

const findType = (path: string): string => TEXT_TYPES.get(extname(path).toLowerCase()) ?? 'application/octet-stream'

function writeSkill({ allowedTools, ...skill }: Skill) {
  return { ...skill, 'allowed-tools': allowedTools, readOnly: false }
}

function toSkill(name: string, { 'allowed-tools': allowedTools, ...facts }: z.output<typeof skillUpdate>): Skill {
  return { ...facts, name, allowedTools }
}

/** Answers `GET /api/agents/skills`. */
export async function listSkills(_: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  return json((await (await skills.open()).list()).map(writeSkill))
}

/** Answers `GET /api/agents/skills/config`. */
export async function getSkillConfig(_: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  return json({ enabled: skills.isOffered, skills_dir: (await skills.open()).folder })
}

/** Answers `GET /api/agents/skills/search`. */
export async function searchSkills(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  const found = await (await skills.open()).search((call.query('q') ?? '').slice(0, 1024))
  return json(found.map(writeSkill))
}

/** Answers `POST /api/agents/skills`. */
export async function createSkill(call: Call, { skills, bodies }: SkillRouteParts): Promise<HttpReply> {
  const { name, ...facts } = await readJsonBody(call, skillDraft, bodies)
  const made = await (await skills.open()).create(toSkill(name, facts))
  call.noteChange({ target: name })
  return json(writeSkill(made), { status: 201 })
}

/** Answers `GET /api/agents/skills/:name`. */
export async function getSkill(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  return json(writeSkill(await (await skills.open()).get(call.param('name'))))
}

/** Answers `PUT /api/agents/skills/:name`. */
export async function updateSkill(call: Call, { skills, bodies }: SkillRouteParts): Promise<HttpReply> {
  const facts = await readJsonBody(call, skillUpdate, bodies)
  return json(writeSkill(await (await skills.open()).update(toSkill(call.param('name'), facts))))
}

/** Answers `DELETE /api/agents/skills/:name`. */
export async function deleteSkill(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  await (await skills.open()).remove(call.param('name'))
  return json({ status: 'ok' })
}

/** Answers `GET /api/agents/skills/export/*`. */
export async function exportSkill(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  const name = call.param('name')
  const archive = await (await skills.open()).pack(name)
  const headers = { 'content-type': 'application/gzip', 'content-disposition': `attachment; filename=${name}.tar.gz` }
  return new HttpReply(archive, { headers })
}

/** Answers `POST /api/agents/skills/import`. */
export async function importSkill(call: Call, { skills, forms }: SkillRouteParts): Promise<HttpReply> {
  const form = await forms.read(call, ARCHIVE_FORM)
  try {
    const [file] = form.files
    if (file === undefined) throw new SvcError('invalid_request', 'file required')
    await call.confirm()
    const skill = await (await skills.open()).unpack(file.path, call.signal)
    call.noteChange({ target: skill.name })
    return json(writeSkill(skill), { status: 201 })
  } finally {
    form.release()
  }
}

/** Answers `GET /api/agents/skills/:name/resources`. */
export async function listResources(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  const resources = await (await skills.open()).resources(call.param('name'))
  const folders = ['scripts', 'references', 'assets']
  const below = (folder: string) => resources.filter(({ path }) => path.startsWith(`${folder}/`)).map(writeResource)
  return json({
    scripts: below('scripts'),
    references: below('references'),
    assets: below('assets'),
    others: resources.filter(({ path }) => !folders.some((folder) => path.startsWith(`${folder}/`))).map(writeResource),
    readOnly: false,
  })
}

function writeResource({ path, sizeBytes, modifiedAt }: SkillResource) {
  const type = findType(path)
  const modified = new Date(modifiedAt).toISOString()
  return {
    path,
    name: basename(path),
    size: sizeBytes,
    mime_type: type,
    readable: TEXT_TYPES.has(extname(path).toLowerCase()),
    modified,
  }
}

/** Answers `GET /api/agents/skills/:name/resources/*`. A browser shows no resource as a page. */
export async function getResource(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  const path = call.param('path')
  const bytes = await (await skills.open()).readResource(call.param('name'), path)
  if (call.query('encoding') === 'base64' || !isUtf8(bytes)) {
    return json({
      content: bytes.toString('base64'),
      encoding: 'base64',
      mime_type: findType(path),
      size: bytes.length,
    })
  }
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new HttpReply(bytes, { headers })
}

/** Answers `POST /api/agents/skills/:name/resources`. */
export async function createResource(call: Call, { skills, forms }: SkillRouteParts): Promise<HttpReply> {
  const form = await forms.read(call, RESOURCE_FORM)
  try {
    const [file] = form.files
    if (file === undefined) throw new SvcError('invalid_request', 'file is required')
    const path = form.texts.root.get('path')?.text() || file.filename
    const bytes = await readFile(file.path)
    await call.confirm()
    await (await skills.open()).writeResource(call.param('name'), path, bytes, { isNew: true })
    call.noteChange({ details: path })
    return json({ path }, { status: 201 })
  } finally {
    form.release()
  }
}

/** Answers `PUT /api/agents/skills/:name/resources/*`. */
export async function updateResource(call: Call, { skills, bodies }: SkillRouteParts): Promise<HttpReply> {
  const { content } = await readJsonBody(call, resourceBody, bodies)
  const path = call.param('path')
  await (await skills.open()).writeResource(call.param('name'), path, Buffer.from(content), { isNew: false })
  call.noteChange({ details: path })
  return json({ status: 'ok' })
}

/** Answers `DELETE /api/agents/skills/:name/resources/*`. */
export async function deleteResource(call: Call, { skills }: SkillRouteParts): Promise<HttpReply> {
  const path = call.param('path')
  await (await skills.open()).removeResource(call.param('name'), path)
  call.noteChange({ details: path })
  return json({ status: 'ok' })
}

/** Answers `GET /api/agents/git-repos`. */
export async function listRepositories(): Promise<HttpReply> {
  return json([])
}

/** Refuses every change of `/api/agents/git-repos`. */
export async function refuseRepositories(): Promise<HttpReply> {
  throw new SvcError(
    'not_implemented',
    'git repositories of skills cannot be had: clone them yourself, and import a skill as an archive at /api/agents/skills/import',
    { code: 'git_repositories' },
  )
}
