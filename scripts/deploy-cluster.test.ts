import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), 'utf8')
const matches = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, match = '']) => match)),
]

const CHART = 'deploy/cluster/chart'
const templates = readdirSync(fileURLToPath(new URL(`${CHART}/templates`, root)))
  .map((name) => read(`${CHART}/templates/${name}`))
  .join('\n')
const compose = read('deploy/cluster/compose.yaml')
const known = new Set(matches(read('docs/configuration.md'), /`(SVC_[A-Z0-9_]+)`/g))

/** Paths of the leaves of a YAML file of two levels. */
function listLeaves(text: string): string[] {
  let parent = ''
  return text.split('\n').flatMap((line) => {
    const [, indent, name = '', value] = /^( {0,2})([A-Za-z]\w*):(.*)$/.exec(line) ?? []
    if (indent === undefined) return []
    if (indent === '') parent = value === '' ? name : ''
    if (indent === '') return value === '' ? [] : [name]
    return [`${parent}.${name}`]
  })
}

describe('the files for a cluster', () => {
  it('set only variables that the server has', () => {
    const ofChart = matches(templates, /\b(SVC_[A-Z0-9_]+)\b/g)
    const ofCompose = matches(compose, /^ +(?:.* )?(SVC_[A-Z0-9_]+):/gm)
    expect(ofChart).toContain('SVC_ADVERTISE_ADDR')
    expect(ofCompose).toContain('SVC_REGISTER_TO')
    expect([...ofChart, ...ofCompose].filter((name) => !known.has(name))).toEqual([])
  })

  it('give workers no secret but the token with which they register', () => {
    const ofWorker = read(`${CHART}/templates/workers.yaml`)
    const [, inCompose = ''] = /^ {2}worker:\n([\s\S]*?)^ {2}\w/m.exec(compose) ?? []
    for (const text of [ofWorker, inCompose]) {
      expect(text).toContain('SVC_REGISTRATION_TOKEN')
      expect(text).not.toMatch(/SEED|JWT|HMAC|API_KEY|DATABASE|POSTGRES|envFrom|env_file/)
    }
  })

  it('name in the templates of the chart exactly its values', () => {
    const used = matches(templates, /\.Values\.([A-Za-z.]+)/g)
    expect([...used].sort()).toEqual(listLeaves(read(`${CHART}/values.yaml`)).sort())
  })

  it('send the load balancer to every front end', () => {
    const frontEnds = matches(compose, /^ {2}(front-end-\d+):$/gm)
    expect(frontEnds.length).toBeGreaterThan(1)
    expect(matches(read('deploy/cluster/nginx.conf'), /^ *server ([\w-]+):8080 /gm)).toEqual(frontEnds)
  })
})
