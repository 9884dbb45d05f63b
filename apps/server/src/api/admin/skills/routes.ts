import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import type { SkillRouteParts } from './handlers.ts'

type Handlers = typeof import('./handlers.ts')
type Schemas = typeof import('./schemas.ts')
type SchemaName = Exclude<keyof Schemas, 'skillQuery' | 'resourceQuery'>

const load = () => import('./schemas.ts')
const schema = (name: SchemaName) => async () => (await load())[name]

const BASE = '/api/agents/skills'
const REPOSITORIES = '/api/agents/git-repos'
const shared = { access: 'admin', family: 'flat', tag: 'skills' } as const
const MISSING = { 404: { description: 'No such skill, or no such file.' } }
const FORM = { form: true, bodyType: 'multipart/form-data' } as const
const REFUSED = {
  audit: { unrecorded: 'every request is refused' },
  responses: { 501: { description: 'Git repositories are not followed.' } },
}

/** Answers with a documented body. */
const reply = (description: string, name: SchemaName, status = 200) => ({
  [status]: { description, schema: schema(name) },
})
const change = (verb: string) => ({ change: `skill.${verb}`, target: 'name' })

type Define = (
  info: Omit<RouteInfo, keyof typeof shared>,
  choose: (handlers: Handlers) => (call: Call, parts: SkillRouteParts) => Promise<HttpReply>,
) => Route

/** `/api/agents/skills` and `/api/agents/git-repos`. */
export function skillRoutes(parts: SkillRouteParts): Route[] {
  const define: Define = (info, choose) =>
    defineRoute({ ...shared, ...info, handler: async (call) => choose(await import('./handlers.ts'))(call, parts) })
  return [...folderRoutes(define), ...resourceRoutes(define), ...repositoryRoutes(define)]
}

function folderRoutes(define: Define): Route[] {
  const one = `${BASE}/:name`
  return [
    define(
      { method: 'GET', path: BASE, summary: 'List skills', responses: reply('By name.', 'skillList') },
      ({ listSkills }) => listSkills,
    ),
    define(
      {
        method: 'POST',
        path: BASE,
        summary: 'Make a skill',
        audit: { change: 'skill.create' },
        body: schema('skillDraft'),
        responses: { ...reply('The skill.', 'skillReply', 201), 409: { description: 'The name is taken.' } },
      },
      ({ createSkill }) => createSkill,
    ),
    define(
      {
        method: 'GET',
        path: `${BASE}/config`,
        summary: 'Where skills are, and whether agents read them',
        responses: reply('The configuration.', 'skillConfig'),
      },
      ({ getSkillConfig }) => getSkillConfig,
    ),
    define(
      {
        method: 'GET',
        path: `${BASE}/search`,
        summary: 'Find skills by their words',
        query: async () => (await load()).skillQuery,
        responses: reply('By name.', 'skillList'),
      },
      ({ searchSkills }) => searchSkills,
    ),
    define(
      {
        method: 'GET',
        path: `${BASE}/export/:name{.+}`,
        summary: 'Get a skill as an archive',
        responses: { 200: { description: 'A gzipped tar archive.', contentType: 'application/gzip' }, ...MISSING },
      },
      ({ exportSkill }) => exportSkill,
    ),
    define(
      {
        ...FORM,
        method: 'POST',
        path: `${BASE}/import`,
        summary: 'Make a skill of an archive',
        audit: { change: 'skill.import' },
        body: schema('skillForm'),
        responses: { ...reply('The skill.', 'skillReply', 201), 409: { description: 'The name is taken.' } },
      },
      ({ importSkill }) => importSkill,
    ),
    define(
      {
        method: 'GET',
        path: one,
        summary: 'Get a skill',
        responses: { ...reply('The skill.', 'skillReply'), ...MISSING },
      },
      ({ getSkill }) => getSkill,
    ),
    define(
      {
        method: 'PUT',
        path: one,
        summary: 'Change the instructions of a skill',
        audit: change('update'),
        body: schema('skillUpdate'),
        responses: { ...reply('The skill.', 'skillReply'), ...MISSING },
      },
      ({ updateSkill }) => updateSkill,
    ),
    define(
      {
        method: 'DELETE',
        path: one,
        summary: 'Delete a skill',
        audit: change('delete'),
        responses: { ...reply('It is gone.', 'skillStatus'), ...MISSING },
      },
      ({ deleteSkill }) => deleteSkill,
    ),
  ]
}

function resourceRoutes(define: Define): Route[] {
  const all = `${BASE}/:name/resources`
  const one = `${all}/:path{.+}`
  return [
    define(
      {
        method: 'GET',
        path: all,
        summary: 'List the files of a skill',
        responses: { ...reply('By folder.', 'resourceList'), ...MISSING },
      },
      ({ listResources }) => listResources,
    ),
    define(
      {
        ...FORM,
        method: 'POST',
        path: all,
        summary: 'Add a file to a skill',
        audit: change('add-file'),
        body: schema('resourceForm'),
        responses: {
          ...reply('It is added.', 'resourceMade', 201),
          ...MISSING,
          409: { description: 'There is such a file.' },
        },
      },
      ({ createResource }) => createResource,
    ),
    define(
      {
        method: 'GET',
        path: one,
        summary: 'Get a file of a skill: text, or JSON with base64',
        query: async () => (await load()).resourceQuery,
        responses: { 200: { description: 'The file.', contentType: 'text/plain' }, ...MISSING },
      },
      ({ getResource }) => getResource,
    ),
    define(
      {
        method: 'PUT',
        path: one,
        summary: 'Change a text file of a skill',
        audit: change('update-file'),
        body: schema('resourceBody'),
        responses: { ...reply('It is changed.', 'skillStatus'), ...MISSING },
      },
      ({ updateResource }) => updateResource,
    ),
    define(
      {
        method: 'DELETE',
        path: one,
        summary: 'Delete a file of a skill',
        audit: change('delete-file'),
        responses: { ...reply('It is gone.', 'skillStatus'), ...MISSING },
      },
      ({ deleteResource }) => deleteResource,
    ),
  ]
}

/** Git repositories of skills: none, and every change says so. */
function repositoryRoutes(define: Define): Route[] {
  const refused = [
    ['POST', REPOSITORIES, 'Add a git repository: refused'],
    ['PUT', `${REPOSITORIES}/:id`, 'Change a git repository: refused'],
    ['DELETE', `${REPOSITORIES}/:id`, 'Delete a git repository: refused'],
    ['POST', `${REPOSITORIES}/:id/sync`, 'Fetch a git repository: refused'],
    ['POST', `${REPOSITORIES}/:id/toggle`, 'Switch a git repository on or off: refused'],
  ] as const
  return [
    define(
      {
        method: 'GET',
        path: REPOSITORIES,
        summary: 'List git repositories of skills',
        responses: reply('There are none.', 'repositoryList'),
      },
      ({ listRepositories }) => listRepositories,
    ),
    ...refused.map(([method, path, summary]) =>
      define({ ...REFUSED, method, path, summary }, ({ refuseRepositories }) => refuseRepositories),
    ),
  ]
}
