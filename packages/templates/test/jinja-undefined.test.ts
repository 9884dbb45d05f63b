import { describe, expect, it } from 'vitest'
import { compileJinja } from '../src/index.ts'
import { findFailure, render } from './jinja-render.ts'

describe('undefined values print as nothing and count as false', () => {
  it.each([
    ['[{{ nope }}]', '[]'],
    ["[{{ dict.nope }}{{ dict['nope'] }}{{ list[9] }}{{ text.nope }}{{ none.x }}]", '[]'],
    ['{{ nope is defined }}{{ nope is undefined }}{{ nope is none }}', 'FalseTrueFalse'],
    ["{{ nope|default('x') }}{{ none|default('x') }}{{ none|default('x', true) }}{{ ''|d('x', true) }}", 'xNonexx'],
    ['{{ nope == nope }}{{ nope == none }}{{ nope != 1 }}{{ nope == other }}', 'TrueFalseTrueTrue'],
    ['{{ nope|length }}{{ nope|list }}{{ nope|join }}|{{ nope|upper }}|{{ nope|string }}|', '0[]|||'],
    ["{{ nope ~ 'a' }}{{ 'a' ~ nope }}", 'aa'],
    ['{{ 1 in nope }}', 'False'],
    ['{{ not nope }}{{ nope and 1 }}{{ nope or 2 }}', 'True2'],
    ["{{ [nope] }}{{ {'a': nope} }}{{ (nope,) }}", "[Undefined]{'a': Undefined}(Undefined,)"],
    [
      '{{ nope is iterable }}{{ nope is string }}{{ nope is mapping }}{{ nope is sequence }}{{ nope is callable }}',
      'TrueFalseFalseTrueTrue',
    ],
    ["{{ [nope, 1]|select('defined')|list }}", '[1]'],
    ["{{ users|map(attribute='city', default='?')|join(',') }}", 'London,london,?'],
    ["{{ users|map(attribute='city')|list }}", "['London', 'london', Undefined]"],
    ["{{ users|selectattr('city')|map(attribute='name')|join(',') }}", 'Ada,alan'],
    ['{{ [] | first }}|{{ [] | last }}|{{ [] | max }}|{{ [] | random }}', '|||'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('values that cannot be a key', () => {
  it('is not found', () => {
    expect(render('{{ {}[[]] }}{{ {}[{}] }}{{ {}[dict.keys()] }}{{ {}[(1, [])] }}')).toBe('')
  })

  it.each([
    '{{ {dict.keys(): 1} }}',
    '{{ {[]: 1} }}',
    '{{ {{}: 1} }}',
    '{{ {dict.items(): 1} }}',
    '{{ {(1, []): 1} }}',
  ])('makes %s fail', (template) => {
    expect(findFailure(template)).toBe('TypeError')
  })
})

describe('using it fails', () => {
  it.each([
    ["{{ '%s' % nope }}", ''],
    ['{{ nope|items|list }}', '[]'],
    ['{{ [1]|join(nope) }}', '1'],
    ["{{ 'a'|replace(nope, 'b') }}", 'bab'],
    ['{{ {nope: 1} }}', '{Undefined: 1}'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ nope.x }}', 'UndefinedError'],
    ["{{ nope['x'] }}", 'UndefinedError'],
    ['{{ nope[0] }}', 'UndefinedError'],
    ['{{ nope() }}', 'UndefinedError'],
    ['{{ nope + 1 }}', 'UndefinedError'],
    ['{{ 1 + nope }}', 'UndefinedError'],
    ['{{ nope * 2 }}', 'UndefinedError'],
    ['{{ nope / 2 }}', 'UndefinedError'],
    ["{{ 'a' + nope }}", 'UndefinedError'],
    ['{{ -nope }}', 'UndefinedError'],
    ['{{ +nope }}', 'UndefinedError'],
    ['{{ nope < 1 }}', 'UndefinedError'],
    ['{{ 1 > nope }}', 'UndefinedError'],
    ['{{ nope % 2 }}', 'UndefinedError'],
    ["{{ '%d' % nope }}", 'UndefinedError'],
    ['{{ nope|int }}', 'UndefinedError'],
    ['{{ nope|float }}', 'UndefinedError'],
    ['{{ nope|abs }}', 'TypeError'],
    ['{{ nope|tojson }}', 'TypeError'],
    ['{{ nope|dictsort }}', 'UndefinedError'],
    ['{{ nope[1:] }}', 'UndefinedError'],
    ['{{ dict.nope.x }}', 'UndefinedError'],
    ['{{ dict.nope() }}', 'UndefinedError'],
    ['{{ users[0].nope.upper() }}', 'UndefinedError'],
    ['{{ text.nope() }}', 'UndefinedError'],
    ['{{ range(nope) }}', 'TypeError'],
    ['{% for k, v in nope.items() %}{% endfor %}', 'UndefinedError'],
    ['{% include nope %}', 'TypeError'],
    ['{{ [1, nope]|sort }}', 'UndefinedError'],
    ['{{ [1, nope]|sum }}', 'UndefinedError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('the machinery of the host is out of reach', () => {
  it.each([
    ['{{ text.__class__ }}|{{ list.__class__ }}|{{ dict.__class__ }}|{{ (1).__class__ }}|', '||||'],
    ['{{ text.__class__ is defined }}', 'False'],
    ["{{ text['__class__'] }}|", '|'],
    ["{{ text|attr('__class__') }}|", '|'],
    ['{{ range.__globals__ }}|', '|'],
    [
      "{{ text.constructor }}|{{ dict.constructor }}|{{ list.constructor }}|{{ dict.__proto__ }}|{{ dict['hasOwnProperty'] }}|",
      '|||||',
    ],
    ["{{ '{0.__class__}'.format(text) }}", ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ text.__class__.__mro__ }}', 'SecurityError'],
    ['{{ list.append(1) }}', 'SecurityError'],
    ['{{ dict.update({}) }}', 'SecurityError'],
    ["{{ dict.pop('a') }}", 'SecurityError'],
    ['{{ list.sort() }}', 'SecurityError'],
    ["{{ '{a.__class__.x}'.format(a=text) }}", 'SecurityError'],
    ["{{ raise_exception('stop: ' ~ 1) }}", 'TemplateError'],
    ['{{ raise_exception() }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

it.each([
  '{{ {}[secret].x }}',
  '{{ [1].index(secret) }}',
  '{{ secret|int + secret }}',
  "{{ '%(a)s'|replace('a', secret) % {} }}",
  "{{ ('{' ~ secret ~ '}').format() }}",
  "{{ 'a'.encode(secret) }}",
  '{{ secret.x.y }}',
  '{{ secret() }}',
  '{{ secret < 1 }}',
  '{{ 1 in secret }}',
  '{{ [secret]|sum }}',
  '{{ {1: secret}|xmlattr }}',
])('%s fails without a word of the data', (template) => {
  const attempt = (): string => compileJinja(template).render({ secret: 'hunter2' })
  expect(attempt).toThrow(expect.objectContaining({ name: 'JinjaRuntimeError' }))
  expect(attempt).not.toThrow('hunter2')
})
