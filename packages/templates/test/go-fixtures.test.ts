import { describe, expect, it } from 'vitest'
import { compileGoTemplate, GoTemplateExecError, GoTemplateSyntaxError } from '../src/go/index.ts'
import { readRecords, toData } from './go-data.ts'

const records = readRecords()
const succeeding = records.filter((record) => record.error === undefined)
const failingToParse = records.filter((record) => record.error_stage === 'parse')
const failingToRender = records.filter((record) => record.error_stage === 'exec')

describe('recorded templates', () => {
  it('are all there', () => {
    expect(records).toHaveLength(384)
    expect(failingToParse.length + failingToRender.length).toBe(89)
  })

  it.each(succeeding.map((record) => [record.name, record] as const))('%s renders as in Go', (_, record) => {
    expect(compileGoTemplate(record.template).render(toData(record))).toBe(record.output)
  })

  it.each(failingToParse.map((record) => [record.name, record] as const))('%s does not compile', (_, record) => {
    expect(() => compileGoTemplate(record.template)).toThrow(GoTemplateSyntaxError)
  })

  it.each(failingToRender.map((record) => [record.name, record] as const))('%s fails when it runs', (_, record) => {
    const template = compileGoTemplate(record.template)
    expect(() => template.render(toData(record))).toThrow(GoTemplateExecError)
  })
})
