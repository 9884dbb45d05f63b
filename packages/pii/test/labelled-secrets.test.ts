import { createDetector } from '@svc/pii/detectors'
import { describe, expect, it } from 'vitest'

const { signal } = new AbortController()
const detector = createDetector({ name: 'all', settings: { builtins: ['all'] }, slices: { sliceMs: 60_000 } })

async function find(text: string): Promise<string[]> {
  const found = await detector.detect({ text, segments: [{ start: 0, end: text.length }], messages: [] }, { signal })
  return found.map(({ start, end }) => text.slice(start, end))
}

/** Texts around a value that is marked by `{}`. */
const PASSWORDS: Readonly<Record<string, readonly string[]>> = {
  hunter2: [
    'my password is {}.',
    'the password for the router is {}, thanks',
    'Mein Passwort lautet {}',
    'mot de passe : {}',
    'La contraseña es {}',
    'La password è {}',
    'a senha é {}',
    'het wachtwoord is {}',
    'hasło to {}',
    'мой пароль — {}',
    '密码是{}',
    'パスワードは{}です',
    'pw={}',
    '{"password":"{}"}',
    'DB_PASSWORD ::= "{}"',
    '$dbPassword .= "{}"',
    'System.setProperty("db.password", "{}")',
    '<password>{}</password>',
    '<add key="password" value="{}"/>',
    '- name: DB_PASSWORD\n  value: {}',
    'mycli --user root --password {}',
    'const password: string = "{}"',
    'os.environ.get("PASSWORD", "{}")',
    "CREATE USER app IDENTIFIED BY '{}';",
    "ALTER USER app WITH PASSWORD '{}';",
    'curl -u admin:{} https://lab.example',
    'docker login -u ada -p {} registry.example',
    'mysql -u root -p{} db',
    'sshpass -p {} ssh host',
    'request.basic_auth("ada", "{}")',
  ],
  sunshine: [
    'my password is {}',
    'Passwort: {}',
    '{"password": "{}"}',
    'DB_PASSWORD={}',
    'postgres://app:{}@db.lab.example/x',
    '<db:password>{}</db:password>',
    'mycli --password={} --verbose',
  ],
  'w0lf.Paw7!x$y': ['DB_PASSWORD={}', '{"password": "{}"}', '<password>{}</password>', 'https://ada:{}@lab.example/'],
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'q7Kd2Wm9Rx.Tz1Vb8Hn5Ls': ['API_TOKEN={}', '"ada_token": "{}"', '<adaToken>\n  {}\n</adaToken>'],
  's.q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3P': ['VAULT_TOKEN={}'],
  '12|q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6': ['API_TOKEN={}', 'api_token: {}'],
  'q7Kd2Wm9$x4Tz1!b8Hn5': ['CLIENT_SECRET="{}"', "SECRET_KEY = '{}'"],
  q7Kd2Wm9Rx4Tz1Vb8Hn5: [
    'ADA_TOKEN ?= "{}"',
    'ADA_TOKEN :::= "{}"',
    'adaToken := `{}`',
    'my api key is {}',
    'https://x.example/?token={}&x=1',
    "headers['Authorization'] = 'Bearer {}'",
    'new AuthenticationHeaderValue("Bearer", "{}")',
    'Authorization: ApiKey {}',
    'request.setValue("Bearer {}", forHTTPHeaderField: "Authorization")',
    'req.Header.Add("Authorization", "Bearer "+"{}")',
    'client.bearer_auth("{}")',
    'con.setRequestProperty("x-api-key", "{}");',
  ],
}

const cases = Object.entries({ ...PASSWORDS, ...KEYS }).flatMap(([value, forms]) =>
  forms.map((form) => [form, value] as const),
)

describe('values behind labels', () => {
  it.each(cases)('%s with %s is found to its real end', async (form, value) => {
    // The last braces stand for the value: others belong to the form.
    const at = form.lastIndexOf('{}')
    expect(await find(`${form.slice(0, at)}${value}${form.slice(at + 2)}`)).toContain(value)
  })

  it.each([
    ["DB_PASSWORD=2!_8'rvZim7\n", "2!_8'rvZim7"],
    ['password: 2fbp`LbQf,UL7J7\nuser: x', '2fbp`LbQf,UL7J7'],
    ["password: '2!_8''rvZim7'\n", "2!_8''rvZim7"],
    ["curl -u 'ada:Z*U4LcTfn,drD7' https://x.corp", 'Z*U4LcTfn,drD7'],
    ["{'password': 'q7Kd2Wm9', 'user': 'x'}", 'q7Kd2Wm9'],
    ['password=q7Kd2Wm9,user=x', 'q7Kd2Wm9'],
    ['url = "x?password=q7Kd2Wm9" + tail', 'q7Kd2Wm9'],
    ["password = '''q7Kd2Wm9'''", 'q7Kd2Wm9'],
  ])('reads the whole value of %j', async (text, value) => {
    expect(await find(text)).toEqual([value])
  })

  it.each([
    ['PIN: 4711', '4711'],
    ['Your verification code is 482913', '482913'],
    ['Dein Bestätigungscode lautet 482913.', '482913'],
    ['验证码是482913', '482913'],
  ])('finds the code of %s', async (text, code) => {
    expect(await find(text)).toEqual([code])
  })

  it.each([
    'password: process.env.X',
    'password = user.password',
    'const { username, password } = req.body',
    'password: required',
    'The password is too short.',
    'Das Passwort ist falsch.',
    '密码错误',
    'type: "password", name: "foo"',
    'password: "Enter your password"',
    `password=${'$'}{PASSWORD}`,
    `<password>${'$'}{pw}</password>`,
    '--password  The password of the user',
    'docker run -u root -p 8080:80 nginx',
    'docker login -u ada --password-stdin registry.example',
    'postgres://user:password@localhost/db',
    'GPIO PIN 13 is high',
    "['users[0].password', 'users[1].password']",
    'id_challengePassword = exports.id_pkcs9_at_counterSignature3 = 4',
    'token = exports.id_pkcs9_at_userPKCS12',
    '| Secp256k1PrivateKey privateKey: ed25519.Ed25519PrivateKey',
    `${'$'}PASSWORD = ${'$'}CPAN::Config->{proxy_pass}`,
    ':type passphrase: :py:data:`bytes`',
    'a user of the organization, identified by tagged id',
    'token = request.headers.authorization2.x3',
    `"Authorization": "Bearer ${'$'}{token}"`,
  ])('finds nothing in %s', async (text) => {
    expect(await find(text)).toEqual([])
  })

  it('reads a long row of labels in time that grows with the text', async () => {
    for (const unit of [
      'password=',
      'token: "',
      'my password is ',
      'Authorization: ',
      ' -u a:',
      '密码是',
      '<password>',
    ]) {
      expect((await find(unit.repeat(20_000))).length).toBeLessThan(20_000)
    }
  })
})

describe('e-mail in web addresses', () => {
  it.each([
    'https://x.example/?a=1&e={}&b=2',
    'https://x.example/u/{}/edit',
    'https://x.example/#/u={}',
    "<a href='mailto:{}'>x</a>",
    'mailto://{}',
    'mailto:x@y.example?cc={}&subject=hi',
    'ftp://{}@ftp.host.example/',
    'EMAIL={}',
  ])('%s', async (form) => {
    expect(await find(form.replace('{}', 'ada@lab.example'))).toContain('ada@lab.example')
  })

  it.each([
    ['https://x.example/?u=https%3A%2F%2Fy.example%2Fada%40lab.example%2Fz', 'ada%40lab.example'],
    ['https://x.example/?u=%253Fe%253Dada%2540lab.example%2526x', 'ada%2540lab.example'],
    ['e=ada.l%2Bnews%40lab%2Eexample&x', 'ada.l%2Bnews%40lab%2Eexample'],
  ])('%s, decoded', async (text, address) => {
    expect(await find(text)).toEqual([address])
  })

  it.each([
    'https://ada@host.example/x',
    'https://host.example/@ada.b/1',
    '/img/logo@dark.png',
    'git@code.example:a/b',
  ])('not %s', async (text) => {
    expect(await find(text)).toEqual([])
  })
})

describe('words that look like numbers and addresses', () => {
  it.each([
    'We went to Tel Megiddo 7 8 1200',
    'Since Spring 2019',
    'Sitzplatz 20',
    'Python 3.3.3.3',
    'mobile game 2048 2049 11',
    '## 0.18.14 (2021-05-28) fixes',
    'U WITH RING ABOVE 0065 0302 0304',
    'key[0::2], data()[1::2] and rows[1][2::3]',
    '[*0328.0020.0004]',
    'from swift.storage import ASYNCDIR_BASE',
    'V390\n2304\n2307\n2362\n2363\n2373',
    '2304\n2307\n2362\n2363\n2373',
    '52F5 568E 5680 5690 5685 5687 568F 58D5',
  ])('finds nothing in %s', async (text) => {
    expect(await find(text)).toEqual([])
  })

  it.each(['DNS 1.1.1.1 works', 'Schillerplatz 20', 'Tel: 571 612 1056', 'http://[2001:db8::2]/', '0028.d0ab.0004'])(
    'still finds %s',
    async (text) => {
      expect(await find(text)).not.toEqual([])
    },
  )
})
