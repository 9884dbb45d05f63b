import { describe, expect, it } from 'vitest'
import { resolveLimits } from '../limits.ts'
import type { Expression } from './ast.ts'
import { parseTemplate } from './parser.ts'

/** An expression with parentheses around every operation. */
function show(node: Expression): string {
  switch (node.kind) {
    case 'name':
      return node.name
    case 'constant':
      return String(node.value)
    case 'arithmetic':
      return `(${show(node.left)} ${node.operator} ${show(node.right)})`
    case 'and':
    case 'or':
      return `(${show(node.left)} ${node.kind} ${show(node.right)})`
    case 'not':
    case 'negative':
    case 'positive':
      return `(${node.kind} ${show(node.operand)})`
    case 'concatenation':
      return `(${node.parts.map(show).join(' ~ ')})`
    case 'comparison':
      return `(${show(node.first)}${node.rest.map((part) => ` ${part.operator} ${show(part.operand)}`).join('')})`
    case 'conditional':
      return `(${show(node.whenTrue)} if ${show(node.test)} else ${node.whenFalse ? show(node.whenFalse) : '-'})`
    case 'filter':
      return `(${node.input ? show(node.input) : ''}|${node.name})`
    case 'test':
      return `(${show(node.input)} is ${node.name}${node.given.positional.map((part) => ` ${show(part)}`).join('')})`
    case 'attribute':
      return `${show(node.object)}.${node.name}`
    case 'item':
      return `${show(node.object)}[${show(node.key)}]`
    case 'call':
      return `${show(node.callee)}(${node.given.positional.map(show).join(', ')})`
    case 'list':
    case 'tuple':
      return `${node.kind}[${node.items.map(show).join(', ')}]`
    default:
      return node.kind
  }
}

function parse(source: string): ReturnType<typeof parseTemplate> {
  return parseTemplate(source, resolveLimits())
}

function structure(expression: string): string {
  const [statement] = parse(`{{ ${expression} }}`)
  return statement?.kind === 'print' ? show(statement.value) : 'none'
}

describe('parseTemplate', () => {
  it.each([
    ['a + b * c', '(a + (b * c))'],
    ['a - b - c', '((a - b) - c)'],
    ['a ** b ** c', '((a ** b) ** c)'],
    ['-a ** b', '((negative a) ** b)'],
    ['a ~ b + c ~ d', '((a ~ b) + (c ~ d))'],
    ['a < b == c', '(a < b == c)'],
    ['not a == b', '(not (a == b))'],
    ['a or b and c', '(a or (b and c))'],
    ['not a in b', '(not (a in b))'],
    ['a not in b', '(a not in b)'],
    ['a if b else c if d else e', '(a if b else (c if d else e))'],
    ['a if b', '(a if b else -)'],
    ['-a|b', '((negative a)|b)'],
    ['a|b.c', '(a|b.c)'],
    ['a.b[c](d)|e', '(a.b[c](d)|e)'],
    ['a is b', '(a is b)'],
    ['a is not b', '(not (a is b))'],
    ['a is b c', '(a is b c)'],
    ['a is b and c', '((a is b) and c)'],
    ['a + b is c', '(a + (b is c))'],
    ['a, b', 'tuple[a, b]'],
    ['(a)', 'a'],
    ['(a,)', 'tuple[a]'],
    ['[a, b]', 'list[a, b]'],
    ['a.1', 'a[1]'],
  ])('reads %s as %s', (expression, expected) => {
    expect(structure(expression)).toBe(expected)
  })

  it.each([
    ['a\n{% if x %}\nb', "'if'", 3],
    ['{% for x in y %}\n{% endif %}', "'endif'", 2],
    ['\n{% endfor %}', "'endfor'", 2],
    ['\n{% nope %}', "'nope'", 2],
    ['\n\n{{ }}', 'expression', 3],
    ['{{ a b }}', "'b'", 1],
    ['{{ f(a=1, 2) }}', 'call', 1],
    ['{{ f(a=1,\n a=2) }}', 'a', 1],
    ['{% macro m(a, a) %}{% endmacro %}', "'a'", 1],
    ['{% macro m(a=1, b) %}{% endmacro %}', 'default', 1],
    ['{% set 1 = 2 %}', 'assign', 1],
    ['{% for x y in z %}{% endfor %}', "'y'", 1],
    ["{{ {'a'} }}", "'}'", 1],
    ['{% call 1 %}{% endcall %}', 'call', 1],
    ['{% 1 %}', 'name', 1],
    ['{% block a required %}x{% endblock %}', 'equired', 1],
  ])('refuses %j with a message about %s', (source, about, line) => {
    const refusal = { name: 'JinjaSyntaxError', kind: 'invalid_request', code: 'template_syntax', line }
    expect(() => parse(source)).toThrow(expect.objectContaining(refusal))
    expect(() => parse(source)).toThrow(about)
  })
})
