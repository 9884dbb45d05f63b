import { writeFileSync } from 'node:fs'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createCollectingLogger } from './__fixtures__/collecting-logger.ts'
import { createModelTemplates, type TemplateKey } from './model-templates.ts'
import { toChatMessageData, toPromptData } from './template-data.ts'

const INPUT = { input: 'some text', systemPrompt: 'Be kind.' }

function open(changes: Partial<ModelConfig>) {
  const { logger, lines } = createCollectingLogger()
  const templates = createModelTemplates(createModel(changes), { logger, now: Date.now })
  const render = (key: TemplateKey, input = INPUT) => templates.find(key)?.render(() => toPromptData(input))
  return { templates, render, lines }
}

const LOOP = '{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}'

describe('where the text of a template is', () => {
  it('in the value itself', () => {
    const { render } = open({ template: { chat: '<{{.Input}}>' } })
    expect(render('chat')).toEqual({ text: '<some text>' })
    expect(render('function')).toBeUndefined()
  })

  it('in the file that the value names', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('own.tmpl'), 'file: {{.Input}}')
    const { render } = open({ folder: dir.path, template: { chat: 'own', completion: 'other' } })
    expect(render('chat')).toEqual({ text: 'file: some text' })
    expect(render('completion')).toEqual({ text: 'other' })
  })

  it('in a file beside the weights when there is no value', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('m.gguf.tmpl'), 'weights: {{.Input}}')
    const { render } = open({ folder: dir.path, parameters: { model: 'm.gguf' }, template: { edit: 'own' } })
    for (const key of ['chat', 'function', 'completion'] as const) {
      expect(render(key)).toEqual({ text: 'weights: some text' })
    }
    expect(render('edit')).toEqual({ text: 'own' })
    expect(render('chat_message')).toBeUndefined()
    expect(render('multimodal')).toBeUndefined()
  })

  it('is not looked for when a model has no weights or their name is not safe', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('.tmpl'), 'hidden')
    writeFileSync(dir.join('up.tmpl'), 'up')
    expect(open({ folder: dir.path }).render('chat')).toBeUndefined()
    expect(open({ folder: dir.join('models'), parameters: { model: '../up' } }).render('chat')).toBeUndefined()
  })

  it('in the file as it is now', async () => {
    await using dir = await tempDir()
    const { render, templates } = open({ folder: dir.path, template: { chat: 'own' } })
    expect(render('chat')).toEqual({ text: 'own' })
    writeFileSync(dir.join('own.tmpl'), 'first {{.Input}}')
    expect(render('chat')).toEqual({ text: 'first some text' })
    expect(templates.find('chat')).toBe(templates.find('chat'))
    writeFileSync(dir.join('own.tmpl'), 'second {{.Input}}')
    expect(render('chat')).toEqual({ text: 'second some text' })
  })
})

describe('a value that is neither a template nor the name of one', () => {
  it('is taken as it is, with a warning', async () => {
    await using dir = await tempDir()
    const { render, lines } = open({ folder: dir.path, template: { chat: 'chatml', edit: '{{.Input}}' } })
    expect([render('chat'), render('chat'), render('edit')]).toEqual([
      { text: 'chatml' },
      { text: 'chatml' },
      { text: 'some text' },
    ])
    expect(lines.map(({ fields }) => [fields.key, fields.reason])).toEqual([
      ['template.chat', 'names no file and shows nothing of requests'],
    ])
    writeFileSync(dir.join('chatml.tmpl'), 'fixed text')
    expect(render('chat')).toEqual({ text: 'fixed text' })
    expect(lines).toHaveLength(1)
  })
})

describe('a template that cannot be used', () => {
  it.each([
    '{{.Input',
    '{{if}}',
    '{{nothing .Input}}',
    '{{env "HOME"}}',
    '{{define "a"}}x{{end}}{{define "a"}}y{{end}}',
    '{{if 1}}'.repeat(200) + '{{end}}'.repeat(200),
  ])('is none and logged once: %j', (chat) => {
    const { render, lines } = open({ template: { chat } })
    expect(render('chat')).toBeUndefined()
    expect(render('chat')).toBeUndefined()
    expect(lines.map(({ level, message }) => [level, message])).toEqual([['warn', 'prompt template has a problem']])
    expect(lines[0]?.fields).toMatchObject({ model: 'm', key: 'template.chat' })
  })

  it('is logged again when its file changes for the worse, and used when it gets better', async () => {
    await using dir = await tempDir()
    const { render, lines } = open({ folder: dir.path, template: { chat: 'own' } })
    for (const text of ['{{one', '{{one', '{{two']) {
      writeFileSync(dir.join('own.tmpl'), text)
      expect(render('chat')).toBeUndefined()
    }
    expect(lines).toHaveLength(2)
    writeFileSync(dir.join('own.tmpl'), 'fine')
    expect(render('chat')).toEqual({ text: 'fine' })
    expect(lines).toHaveLength(2)
  })

  it('is undefined while its file cannot be read', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('own.tmpl'), ' '.repeat(2 * 1024 * 1024))
    const { render, lines } = open({ folder: dir.path, template: { chat: 'own' } })
    expect([render('chat'), render('chat')]).toEqual([undefined, undefined])
    expect(lines.map(({ fields }) => fields.reason)).toEqual(['is larger than 1048576 bytes'])
  })

  it('fails where it does not fit the data, logged once and without the data', () => {
    const { render, lines } = open({ template: { chat: 'a\n{{.Nope}}', edit: '{{fail .Input}}' } })
    expect([render('chat'), render('chat')]).toEqual([{ failed: 'error' }, { failed: 'error' }])
    expect(render('edit', { ...INPUT, input: 'my secret' })).toEqual({ failed: 'error' })
    expect(lines.map(({ fields }) => [fields.key, fields.reason])).toEqual([
      ['template.chat', 'fails on a request: template_exec at line 2'],
      ['template.edit', 'fails on a request: template_exec at line 1'],
    ])
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it.each([LOOP, '{{range until 100000}}{{range until 100}}x{{end}}{{end}}', '{{repeat 20000000 "x"}}'])(
    'is stopped at a limit: %s',
    (chat) => {
      const { render, lines } = open({ template: { chat } })
      expect(render('chat')).toEqual({ failed: 'exhausted' })
      expect(lines.map(({ fields }) => fields.reason)).toEqual(['fails on a request: template_limit'])
    },
  )

  it('fails on data that is nested too deep', () => {
    let parameters: Record<string, unknown> = {}
    for (let depth = 0; depth < 1000; depth += 1) parameters = { deeper: parameters }
    const { templates } = open({ template: { chat: '{{.Input}}' } })
    const functions = [{ name: 'f', description: '', strict: false, parameters }]
    const rendering = templates.find('chat')?.render(() => toPromptData({ input: 'x', functions }))
    expect(rendering).toEqual({ failed: 'exhausted' })
  })

  it('works again on data that fits', () => {
    const { templates } = open({ template: { chatMessage: '{{.FunctionCall.Name}}' } })
    const template = templates.find('chat_message')
    const data = { role: '', roleName: 'user', content: '', index: 0, isLast: true, hasGrammar: false }
    expect(template?.render(() => toChatMessageData({ ...data, calls: [1] }))).toEqual({ failed: 'error' })
    expect(template?.render(() => toChatMessageData({ ...data, calls: { Name: 'f' } }))).toEqual({ text: 'f' })
  })
})
