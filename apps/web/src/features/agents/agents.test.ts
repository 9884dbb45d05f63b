// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { readExport, toConfig, toForm } from './config-form.ts'

describe('the form of an agent', () => {
  const config = {
    name: 'scout',
    description: 'Finds things',
    model: 'demo',
    system_prompt: 'Be short.',
    max_iterations: 0,
    parameters: { temperature: 0.2, top_p: 0.9, max_tokens: null },
    mcp_servers: [{ name: 'files', url: 'https://tools.example/mcp', token: '***' }],
    vector_stores: ['vs_1'],
    skills: ['tides'],
    enable_skills: false,
    own_member: { kept: true },
  }

  it('keeps what it does not show', () => {
    expect(toConfig(config, toForm(config))).toEqual(config)
  })
  it('clears what is emptied', () => {
    const emptied = toConfig(config, { ...toForm(config), temperature: ' ', turns: '', stores: [], model: '' })
    expect(emptied).toMatchObject({
      model: '',
      max_iterations: null,
      vector_stores: [],
      parameters: { temperature: null, top_p: 0.9 },
    })
  })
  it('names no skills where all are meant', () => {
    const all = toConfig(config, { ...toForm(config), hasAllSkills: true })
    expect(all).toMatchObject({ skills: [], enable_skills: true })
    expect(toForm(all)).toMatchObject({ skills: [], hasAllSkills: true })
  })
  it('begins empty', () => {
    expect(toForm({ name: 'new' })).toEqual({
      description: '',
      model: '',
      prompt: '',
      turns: '',
      temperature: '',
      maxTokens: '',
      servers: [],
      stores: [],
      skills: [],
      hasAllSkills: false,
    })
  })
})

describe('an exported agent', () => {
  it.each(['', '[]', 'null', '{"name": 1}', '{', '"name"'])('is not %j', (text) => {
    expect(readExport(text)).toBeUndefined()
  })
  it('is an object with a name', () => {
    expect(readExport('{"name": "scout", "model": "demo"}')).toEqual({ name: 'scout', model: 'demo' })
  })
})
