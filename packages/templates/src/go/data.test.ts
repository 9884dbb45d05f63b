import { describe, expect, it } from 'vitest'
import { goStruct, toGoValue } from './data.ts'
import { compileGoTemplate, goMap, goPointerTo, goSlice } from './index.ts'
import { GoMap, GoSlice, goInt, goList } from './values.ts'

const child = goStruct('Child', { ID: 'int', Tag: { type: 'string', json: 'tag,omitempty' } })
const parent = goStruct('Parent', {
  Name: 'string',
  Count: 'int',
  Ratio: 'float64',
  Ready: 'bool',
  Any: 'any',
  Children: goSlice(child),
  Labels: goMap('string'),
  Only: goPointerTo(() => child),
})

function render(template: string, data: unknown): string {
  return compileGoTemplate(template).render(data)
}

describe('plain data', () => {
  it('becomes maps, lists, floats and, from bigints, ints', () => {
    expect(toGoValue({ a: [1, 2n, 'é', true, null, undefined] })).toEqual(
      new GoMap('any', new Map([['a', goList([1, goInt(2), '\xc3\xa9', true, null, null])]])),
    )
    expect(toGoValue(new Map([['k', 1]]))).toEqual(new GoMap('any', new Map([['k', 1]])))
  })

  it('has no way to a prototype', () => {
    const data = JSON.parse('{"__proto__":{"x":1}}')
    expect(render('{{.__proto__.x}} {{.constructor}} {{.toString}}', data)).toBe('1 <no value> <no value>')
    expect(render('{{.list.length}}|', { list: {} })).toBe('<no value>|')
    expect(render('{{range $k, $v := .}}{{$k}}{{end}}', Object.create({ inherited: 1 }))).toBe('')
  })

  it('cannot pass for a value of the engine', () => {
    expect(render('{{.x}}', { x: { kind: 'integer', type: 'int', value: 1n } })).toBe(
      'map[kind:integer type:int value:1]',
    )
  })

  it('is left alone by templates that change their maps', () => {
    const data = { m: { a: 1 } }
    expect(render('{{$_ := set .m "b" 2}}{{.m}}', data)).toBe('map[a:1 b:2]')
    expect(data).toEqual({ m: { a: 1 } })
  })

  it('is refused when nested too deep', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
    expect(toGoValue(nest(200))).toBeInstanceOf(GoSlice)
    expect(() => toGoValue(nest(201))).toThrow('maxValueDepth')
    expect(() => toGoValue(nest(4), 3)).toThrow('maxValueDepth of 3')
  })

  it('is refused when it holds functions', () => {
    expect(() => toGoValue({ f: () => 1 })).toThrow('template data of type any cannot come from a function')
  })
})

describe('structs', () => {
  it('show zero values for missing fields', () => {
    expect(render('{{.}}', parent.of({}))).toBe('{ 0 0 false <nil> [] map[] <nil>}')
    expect(render('{{toJson .}}', parent.of({}))).toBe(
      '{"Name":"","Count":0,"Ratio":0,"Ready":false,"Any":null,"Children":null,"Labels":null,"Only":null}',
    )
  })

  it('give every field its type', () => {
    const data = parent.of({
      Count: 3,
      Ratio: 3,
      Any: { n: 3 },
      Children: [{ ID: 7n }],
      Labels: { a: 'b' },
      Only: { ID: 1 },
    })
    expect(render('{{typeOf .Count}} {{typeOf .Ratio}} {{typeOf .Any.n}} {{typeOf .Children}}', data)).toBe(
      'int float64 float64 []Child',
    )
    expect(render('{{(index .Children 0).ID}} {{.Labels.a}} {{.Only.ID}} {{typeOf .Only}}', data)).toBe('7 b 1 *Child')
    expect(render('{{typeOf .}} {{typeOf .Labels}}', data)).toBe('Parent map[string]string')
  })

  it('write JSON by their tags', () => {
    expect(render('{{toJson .Children}}', parent.of({ Children: [{ ID: 1 }, { ID: 2, Tag: 'x' }] }))).toBe(
      '[{"ID":1},{"ID":2,"tag":"x"}]',
    )
  })

  it('can be put into one another and into plain data', () => {
    const one = child.of({ ID: 5 })
    expect(render('{{range .Children}}{{.ID}}{{end}}', parent.of({ Children: [one, { ID: 6 }] }))).toBe('56')
    expect(render('{{.c.ID}}', { c: one })).toBe('5')
    expect(render('{{.Any.ID}}', parent.of({ Any: one }))).toBe('5')
  })

  it('refuse fields they do not have', () => {
    expect(() => render('{{.Nope}}', parent.of({}))).toThrow("can't evaluate field Nope in type Parent")
    expect(() => render('{{.Name.Nope}}', parent.of({}))).toThrow("can't evaluate field Nope in type string")
    expect(() => render('{{.constructor}}', parent.of({}))).toThrow("can't evaluate field constructor")
  })

  it.each([
    [{ Nope: 1 }, 'Parent has no field Nope'],
    [{ Name: 1 }, 'template data of type string cannot come from a number'],
    [{ Count: 1.5 }, 'template data of type int cannot come from a number'],
    [{ Count: '1' }, 'template data of type int cannot come from a string'],
    [{ Children: {} }, 'template data of type []Child cannot come from a object'],
    [{ Children: [[]] }, 'template data of type Child cannot come from a list'],
    [{ Labels: { a: 1 } }, 'template data of type string cannot come from a number'],
  ])('refuse %j when they are made', (data, message) => {
    expect(() => parent.of(data)).toThrow(expect.objectContaining({ code: 'template_data', message }))
  })
})
