import { describe, expect, it } from 'vitest'
import { GoTemplateExecError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('dates, durations, versions, URLs and paths', () => {
  it.each([
    ['{{dateInZone "2006-01-02T15:04:05Z07:00" 1700000000 "UTC"}}', '2023-11-14T22:13:20Z'],
    ['{{dateInZone "Mon Jan _2 15:04:05.000 2006" 1700000000 "UTC"}}', 'Tue Nov 14 22:13:20.000 2023'],
    [
      '{{date "Monday, 02-Jan-06 3:04:05 pm MST -0700 .999 ,000" 951782400}}',
      'Tuesday, 29-Feb-00 12:00:00 am UTC +0000  ,000',
    ],
    ['{{date "January 1 2 6 002 __2 _2006 Janu 05.99999" 951782400}}', 'February 2 29 6 060  60 _2000 Janu 00'],
    ['{{htmlDate 0}} {{htmlDateInZone 86399 "UTC"}} {{date_in_zone "06" 0 "Nowhere/X"}}', '1970-01-01 1970-01-01 70'],
    [
      '{{dateInZone "2006-01-02 15:04:05 -07:00 Z07:00 Z0700 -07" 1720000000 "Asia/Kolkata"}}',
      '2024-07-03 15:16:40 +05:30 +05:30 +0530 +05',
    ],
    ['{{dateInZone "2006-01-02 15:04:05 -07:00" 1720000000 "America/New_York"}}', '2024-07-03 05:46:40 -04:00'],
    ['{{dateInZone "15:04" -62135596801 "UTC"}} {{dateInZone "2006" 253402300800 "UTC"}}', '23:59 10000'],
  ])('formatting dates: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{toDate "2006-01-02" "2024-02-29"}}', '2024-02-29 00:00:00 +0000 UTC'],
    [
      '{{toDate "2006-01-02" "2024-02-30"}} {{toDate "x" "y" | toJson}}',
      '0001-01-01 00:00:00 +0000 UTC "0001-01-01T00:00:00Z"',
    ],
    ['{{toDate "2006-01-02T15:04:05Z07:00" "2024-02-29T13:04:05.5-07:30"}}', '2024-02-29 13:04:05.5 -0730 -0730'],
    [
      '{{toDate "Jan _2 3:04PM 06" "Feb  9 1:05PM 69"}} {{toDate "2006 002" "2024 060"}}',
      '1969-02-09 13:05:00 +0000 UTC 2024-02-29 00:00:00 +0000 UTC',
    ],
    ['{{toDate "Mon, 02 Jan 2006 15:04:05 MST" "Tue, 02 Jan 2006 15:04:05 GMT+3"}}', '2006-01-02 18:04:05 +0300 GMT+3'],
    [
      '{{toDate "2006-01-02" "2017-12-31" | unixEpoch}} {{toDate "2006-01-02" "2017-12-31" | toJson}}',
      '1514678400 "2017-12-31T00:00:00Z"',
    ],
    [
      '{{dateModify "1h30m" (toDate "2006-01-02" "2024-02-29")}} {{date_modify "x" (toDate "2006-01-02" "2024-02-29")}} {{dateModify "-1ns" (toDate "2006-01-02" "2024-02-29")}}',
      '2024-02-29 01:30:00 +0000 UTC 2024-02-29 00:00:00 +0000 UTC 2024-02-28 23:59:59.999999999 +0000 UTC',
    ],
    [
      '{{$t := toDate "2006-01-02" "2024-02-29"}}{{$t.Year}} {{$t.Month}} {{$t.Weekday}} {{$t.YearDay}} {{$t.Unix}} {{$t.Format "02/01"}} {{typeOf $t}} {{kindOf $t}} {{$t.IsZero}}',
      '2024 February Thursday 60 1709164800 29/02 time.Time struct false',
    ],
    ['{{eq (toDate "2006" "2024") (toDate "2006-01" "2024-01")}}', 'true'],
  ])('reading dates: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{mustToDate "2006-01-02" "2024-02-30"}}',
    '{{mustToDate "2006-01-02" "x"}}',
    '{{unixEpoch 5}}',
    '{{mustDateModify "x" (toDate "2006-01-02" "2024-02-29")}}',
    '{{(toDate "2006" "2024").Nope}}',
    '{{(toDate "2006" "2024").Format}}',
  ])('reading dates, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{duration "95"}} {{duration 3661}} {{duration (int64 3661)}} {{duration "x"}} {{duration "-1"}}',
      '1m35s 0s 1h1m1s 0s -1s',
    ],
    [
      '{{durationRound "2h10m5s"}} {{durationRound "400h"}} {{durationRound "9000h"}} {{durationRound "90000h"}} {{durationRound "61s"}} {{durationRound "60s"}} {{durationRound "-25h"}} {{durationRound "x"}} {{durationRound "1ms"}} {{durationRound (int64 1500000000)}}',
      '2h 16d 1y 10y 1m 60s 1d 0s 0s 1s',
    ],
  ])('durations: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    [
      '{{with semver "v1.2.3-beta.1+m"}}{{.}} {{.Major}} {{.Minor}} {{.Patch}} {{.Prerelease}} {{.Metadata}} {{.Original}}{{end}}',
      '1.2.3-beta.1+m 1 2 3 beta.1 m v1.2.3-beta.1+m',
    ],
    ['{{semver "1.2"}} {{semver "1"}} {{semver "01.2.3"}}', '1.2.0 1.0.0 1.2.3'],
    [
      '{{semverCompare ">=1.2.0" "1.2.3"}} {{semverCompare ">=1.2.0" "1.3.0-rc.1"}} {{semverCompare ">=1.2.0" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "=1.2" "1.2.3"}} {{semverCompare "=1.2" "1.3.0-rc.1"}} {{semverCompare "=1.2" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "!=1.2" "1.2.3"}} {{semverCompare "!=1.2" "1.3.0-rc.1"}} {{semverCompare "!=1.2" "0.0.3"}}',
      'false false true',
    ],
    [
      '{{semverCompare "!=1.2.3" "1.2.3"}} {{semverCompare "!=1.2.3" "1.3.0-rc.1"}} {{semverCompare "!=1.2.3" "0.0.3"}}',
      'false true true',
    ],
    [
      '{{semverCompare ">1.2" "1.2.3"}} {{semverCompare ">1.2" "1.3.0-rc.1"}} {{semverCompare ">1.2" "0.0.3"}}',
      'false false false',
    ],
    [
      '{{semverCompare "<2" "1.2.3"}} {{semverCompare "<2" "1.3.0-rc.1"}} {{semverCompare "<2" "0.0.3"}}',
      'true false true',
    ],
    [
      '{{semverCompare "<=1.2" "1.2.3"}} {{semverCompare "<=1.2" "1.3.0-rc.1"}} {{semverCompare "<=1.2" "0.0.3"}}',
      'true false true',
    ],
    [
      '{{semverCompare "~1.2" "1.2.3"}} {{semverCompare "~1.2" "1.3.0-rc.1"}} {{semverCompare "~1.2" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "~1" "1.2.3"}} {{semverCompare "~1" "1.3.0-rc.1"}} {{semverCompare "~1" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "^1" "1.2.3"}} {{semverCompare "^1" "1.3.0-rc.1"}} {{semverCompare "^1" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "^0.2" "1.2.3"}} {{semverCompare "^0.2" "1.3.0-rc.1"}} {{semverCompare "^0.2" "0.0.3"}}',
      'false false false',
    ],
    [
      '{{semverCompare "^0.0.3" "1.2.3"}} {{semverCompare "^0.0.3" "1.3.0-rc.1"}} {{semverCompare "^0.0.3" "0.0.3"}}',
      'false false true',
    ],
    [
      '{{semverCompare "*" "1.2.3"}} {{semverCompare "*" "1.3.0-rc.1"}} {{semverCompare "*" "0.0.3"}}',
      'true false true',
    ],
    [
      '{{semverCompare "1.x" "1.2.3"}} {{semverCompare "1.x" "1.3.0-rc.1"}} {{semverCompare "1.x" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "1.2 - 1.4" "1.2.3"}} {{semverCompare "1.2 - 1.4" "1.3.0-rc.1"}} {{semverCompare "1.2 - 1.4" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare ">=1, <1.2 || >=1.2.3" "1.2.3"}} {{semverCompare ">=1, <1.2 || >=1.2.3" "1.3.0-rc.1"}} {{semverCompare ">=1, <1.2 || >=1.2.3" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "1.2.3-alpha" "1.2.3"}} {{semverCompare "1.2.3-alpha" "1.3.0-rc.1"}} {{semverCompare "1.2.3-alpha" "0.0.3"}}',
      'false false false',
    ],
    [
      '{{semverCompare "^1.2.3-alpha" "1.2.3"}} {{semverCompare "^1.2.3-alpha" "1.3.0-rc.1"}} {{semverCompare "^1.2.3-alpha" "0.0.3"}}',
      'true true false',
    ],
    [
      '{{semverCompare "=>1.2.3" "1.2.3"}} {{semverCompare "=>1.2.3" "1.3.0-rc.1"}} {{semverCompare "=>1.2.3" "0.0.3"}}',
      'true false false',
    ],
    [
      '{{semverCompare "=<1.2.3" "1.2.3"}} {{semverCompare "=<1.2.3" "1.3.0-rc.1"}} {{semverCompare "=<1.2.3" "0.0.3"}}',
      'true false true',
    ],
  ])('versions: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{semver "1.2.3-01"}}',
    '{{semver "1.2.3.4"}}',
    '{{semver ""}}',
    '{{(semver "1.2.3").Compare (semver "1.3.0")}} {{(semver "1.2.3").LessThan (semver "1.3.0")}} {{(semver "1.2.3").Nope}}',
    '{{semverCompare "" "1.2.3"}}',
    '{{semverCompare ">" "1.2.3"}}',
    '{{semverCompare ">1" "x"}}',
  ])('versions, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{urlParse "http://u:p%40w@server.example:8080/a%20b?list=false#an%20chor"}}',
      'map[fragment:an chor host:server.example:8080 hostname:server.example opaque: path:/a b query:list=false scheme:http userinfo:u:p%40w]',
    ],
    [
      '{{urlParse "mailto:x@y.z"}} {{urlParse "//h/p"}} {{urlParse "/p?x"}} {{urlParse "HTTP://[::1]:80/"}}',
      'map[fragment: host: hostname: opaque:x@y.z path: query: scheme:mailto userinfo:] map[fragment: host:h hostname:h opaque: path:/p query: scheme: userinfo:] map[fragment: host: hostname: opaque: path:/p query:x scheme: userinfo:] map[fragment: host:[::1]:80 hostname:::1 opaque: path:/ query: scheme:http userinfo:]',
    ],
    [
      '{{urlJoin (dict "scheme" "http" "host" "h é" "path" "p q" "query" "a b" "fragment" "f g" "userinfo" "u:p@x")}}',
      'http://u:p%40x@h%20%C3%A9/p%20q?a b#f%20g',
    ],
    ['{{urlJoin (dict "path" "a:b")}} {{urlJoin (dict "opaque" "o" "scheme" "s")}} {{urlJoin (dict)}}|', './a:b s:o |'],
    ['{{urlParse "http://a/b?c#d" | urlJoin}}', 'http://a/b?c#d'],
  ])('URLs: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{urlParse ":x"}}',
    '{{urlParse "a:b:c://"}} {{urlParse "1http://x"}}',
    '{{urlParse "http://h x/"}}',
    '{{urlParse "http://h:x/"}}',
    '{{urlParse "http://h/%zz"}}',
    '{{urlParse "http://h\\x7f/"}}',
    '{{urlJoin (dict "host" 1)}}',
  ])('URLs, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{base "a/b/c.txt"}} {{base "/"}} {{base ""}} {{base "a//"}}', 'c.txt / . a'],
    ['{{dir "a/b/c.txt"}} {{dir "a"}} {{dir "/"}} {{dir ""}}', 'a/b . / .'],
    ['{{ext "c.tar.gz"}} {{ext "a.b/c"}}| {{ext ".x"}}', '.gz | .x'],
    ['{{clean "a/../b//c"}} {{clean "../../a"}} {{clean "/.."}} {{clean ""}} {{clean "a/.."}}', 'b/c ../../a / . .'],
    [
      '{{isAbs "/a"}} {{isAbs "a"}} {{osBase "a/b"}} {{osDir "a/b"}} {{osClean "./a"}} {{osExt "a.b"}} {{osIsAbs "/"}}',
      'true false b a a .b true',
    ],
  ])('paths: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })
})
