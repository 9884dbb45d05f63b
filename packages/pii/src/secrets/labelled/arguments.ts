import type { Span } from '../../span.ts'
import { isPassword, isStandIn } from './judge-password.ts'
import { readBare, readValue, type Value } from './value.ts'

/** Longest command that is read behind the name of its program. */
const LONGEST = 400

/** Where the password of a program is; the value begins where the match ends. */
interface Program {
  readonly names: RegExp
  readonly before: RegExp
}

const USER_AND = '["\']?[^\\s:"\'/@<>$]{1,64}:(?=[^\\s/"\'])'
const P = /\s(?:-p|--password)(?:[ \t]+|=)/
const P_ATTACHED = /\s-p(?=[^\s-])/
const PROGRAMS: readonly Program[] = [
  { names: /^(?:curl|wget|npx)/, before: new RegExp(`\\s(?:-u|--user|--proxy-user|-U|-a|--auth)[ \\t=]*${USER_AND}`) },
  { names: /login$/, before: P },
  { names: /^sshpass/, before: /\s-p[ \t]*/ },
  { names: /^(?:mysql|mariadb)/, before: P_ATTACHED },
  { names: /^redis-cli/, before: /\s(?:-a|--pass)(?:[ \t]+|=)/ },
  { names: /^ldap/, before: /\s-w[ \t]*/ },
  { names: /^smbclient/, before: /\s(?:-U|--user)[ \t=]*["']?[^\s%"']{1,64}%/ },
  {
    names: /^htpasswd/,
    before: /\s-[A-Za-z]*b[A-Za-z]*[ \t]+(?:-[A-Za-z]+[ \t]+)*\S+[ \t]+(?:\S+[ \t]+)?(?=\S+[ \t]*(?:$|\n))/,
  },
  { names: /^openssl/, before: /\spass:/ },
  { names: /^7z/, before: P_ATTACHED },
  { names: /^(?:unzip|zip|sqlcmd|bcp)/, before: /\s-P[ \t]+/ },
  { names: /^mongo/, before: P },
  { names: /^net user/, before: /^net user[ \t]+\S+[ \t]+(?=[^\s/])/ },
  { names: /^rabbitmqctl/, before: /(?:add_user|change_password)[ \t]+\S+[ \t]+/ },
  { names: /^lftp/, before: /\s-u[ \t]+[^\s,]{1,64},/ },
  { names: /^(?:xfreerdp|rdesktop)/, before: /\s(?:\/p:|-p[ \t]+)/ },
  { names: /^(?:sqlplus|impdp)/, before: /\s[A-Za-z][\w$]{0,30}\/(?=[^\s@/]+@)/ },
]
/** After a user of any program: its password as a part of the same argument, or as the next one. */
const AFTER_USER = [
  new RegExp(`^ --?[A-Za-z]+[ \\t]+${USER_AND}`),
  /^ --?[A-Za-z]+[ \t]+\S{1,64}[ \t]+(?:\S{1,40}[ \t]+){0,3}?(?:-p|--pass|--pw)(?:[ \t]+|=)(?=\S)/,
]
/** Units before a clause in which its statement begins. */
const STATEMENT_UNITS = 120
const SQL = /^(?:by|with\s+["'`]?\w{1,40}["'`]?\s+(?:by|as))\s+(?:password\s+)?/i

/** Finds the password in the arguments of a program, and in a statement of SQL. */
export function findArgument(text: string, { start, end }: Span): Span | undefined {
  const name = text.slice(start, end)
  const command = text.slice(start, start + LONGEST).split(/(?<!\\)\r?\n|\s[|;]\s|&&/, 1)[0] ?? ''
  if (/identified/i.test(name)) return findInSql(text, start, name)
  if (name.startsWith(' '))
    return AFTER_USER.map((before) => findIn(text, start, command, before)).find((value) => value !== undefined)
  // The name of the program is a word of its own.
  if (/[\w-]/.test(text.charAt(start - 1))) return undefined
  const program = PROGRAMS.find(({ names }) => names.test(name.trimEnd()))
  return program && findIn(text, start, command, program.before)
}

function findIn(text: string, from: number, command: string, before: RegExp): Value | undefined {
  const found = before.exec(command)
  if (found === null) return undefined
  const at = from + found.index + found[0].length
  const isInside = /["'][^"']*$/.test(found[0]) && /["'][^"'\s]+:$/.test(found[0])
  const value = isInside ? readBare(text, at) : readValue(text, at)
  return value !== undefined && isArgumentValue(value) ? value : undefined
}

/** Ports, folders, flags and addresses follow such letters too. */
const OTHER_ARGUMENT =
  /^(?:\d{1,5}(?::\d+)*(?:\/(?:tcp|udp))?|-.*|\$.*|(?:[A-Za-z][A-Za-z_.-]*|\d+)?(?:,(?:[A-Za-z][A-Za-z_.-]*|\d+)?)+|.*\/.*\/.*|[./~].*|\d+\.\d+\.\d+\.\d+.*)$/

function isArgumentValue(value: Value): boolean {
  return !OTHER_ARGUMENT.test(value.text) && isPassword(value, 'named')
}

function findInSql(text: string, start: number, name: string): Value | undefined {
  const rest = text.slice(start + 'identified '.length, start + LONGEST)
  const lead = SQL.exec(rest)?.[0]
  if (lead === undefined) return undefined
  const value = readValue(text, start + 'identified '.length + lead.length)
  if (value === undefined || isStandIn(value.text)) return undefined
  // In small letters it is a sentence, unless a statement is before it.
  const before = text.slice(Math.max(0, start - STATEMENT_UNITS), start)
  const isStatement =
    name.startsWith('IDENTIFIED') ||
    /\b(?:create|alter|grant)\b[^.]*$/i.test(before) ||
    ((value.isQuoted || /\d/.test(value.text)) && /\buser\b[^.]*$/i.test(before))
  return isStatement && isPassword(value, 'named') ? value : undefined
}
