import { describe, expect, it } from 'vitest'
import { detectLanguage } from './detect-language.ts'

const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Please explain why the moon looks larger near the horizon.',
    'How do I sort a list of names by the second letter?',
    'My landlord wants to raise the rent by ten percent, what can I do about it?',
    'The meeting was moved to Thursday because half of the team is ill.',
  ],
  de: [
    'Warum ist der Himmel am Abend manchmal rot?',
    'Kannst du mir bitte einen Brief an meine Vermieterin schreiben?',
    'Die Sitzung findet nicht statt, weil der Raum noch gesperrt ist.',
    'Ich suche ein Rezept für eine Suppe mit Kürbis und Ingwer.',
  ],
  fr: [
    'Pourquoi la mer est-elle salée alors que les rivières ne le sont pas ?',
    'Écris une lettre à mon voisin pour lui demander de baisser la musique.',
    'Je ne comprends pas cette erreur dans mon programme.',
    'Le train de huit heures est en retard de vingt minutes.',
  ],
  es: [
    '¿Por qué el cielo es azul durante el día?',
    'Escribe un correo para mi jefe y explica que llego tarde.',
    'No entiendo cómo funciona este programa en mi ordenador.',
    'La reunión de mañana se cambia para el jueves por la tarde.',
  ],
  it: [
    'Perché il mare è salato e i fiumi non lo sono?',
    'Scrivi una lettera al mio vicino per la musica troppo alta.',
    'Non capisco come funziona questo programma.',
    'Il treno delle otto è in ritardo di venti minuti.',
  ],
  pt: [
    'Por que o mar é salgado e os rios não são?',
    'Você pode escrever uma carta para o meu vizinho?',
    'Não entendo como este programa funciona no meu computador.',
    'A reunião de amanhã foi mudada para quinta-feira à tarde.',
  ],
  nl: [
    'Waarom is de zee zout en zijn rivieren dat niet?',
    'Kun je een brief schrijven aan mijn buurman over de muziek?',
    'Ik begrijp niet hoe dit programma werkt.',
    'De trein van acht uur heeft twintig minuten vertraging.',
  ],
  sv: [
    'Varför är havet salt när floderna inte är det?',
    'Kan du skriva ett brev till min granne om musiken?',
    'Jag förstår inte hur det här programmet fungerar.',
    'Mötet i morgon är flyttat till torsdag eftermiddag.',
  ],
  da: [
    'Hvad er årsagen til, at havet er salt og ikke floderne?',
    'Jeg vil gerne skrive et brev til min nabo af høflighed.',
    'Hvad kan jeg gøre, når programmet ikke virker efter opdateringen af det?',
  ],
  no: [
    'Hva er årsaken til at havet er salt og ikke elvene?',
    'Jeg vet ikke hva jeg skal gjøre med meg selv etter jobben.',
    'Noen av elevene har ikke blitt ferdige, og nå er det mye igjen.',
  ],
  pl: [
    'Dlaczego morze jest słone, a rzeki nie są?',
    'Napisz proszę list do mojego sąsiada w sprawie muzyki.',
    'Nie rozumiem, jak działa ten program na moim komputerze.',
  ],
  cs: [
    'Proč je moře slané, když řeky nejsou?',
    'Napiš prosím dopis mému sousedovi kvůli hudbě.',
    'Nerozumím tomu, jak tento program funguje na mém počítači.',
  ],
  ro: [
    'De ce este marea sărată și râurile nu sunt?',
    'Scrie o scrisoare pentru vecinul meu și roagă-l să dea muzica mai încet.',
  ],
  hu: [
    'Miért sós a tenger, ha a folyók nem azok?',
    'Kérem, írj egy levelet a szomszédnak, hogy ne legyen olyan hangos a zene.',
  ],
  tr: [
    'Deniz neden tuzlu ama nehirler değil?',
    'Lütfen komşuma müzik için bir mektup yaz.',
    'Bu programın nasıl çalıştığını bana anlat.',
  ],
  fi: ['Miksi meri on suolainen mutta joet eivät ole?', 'Kirjoita kirje, jossa kerrot että musiikki on liian kovalla.'],
  id: ['Mengapa laut asin dan sungai tidak?', 'Tolong tulis sebuah surat untuk tetangga saya.'],
  vi: ['Tại sao nước biển lại mặn?', 'Hãy viết một lá thư cho người hàng xóm của tôi.'],
  ru: [
    'Почему море солёное, а реки нет?',
    'Напиши письмо моему соседу, чтобы он сделал музыку тише.',
    'Я не понимаю, как это работает.',
  ],
  uk: ['Чому море солоне, а річки ні?', 'Я не розумію, як це працює.'],
  bg: ['Защо морето е солено, а реките не са?', 'Не разбирам как работи това, ще ми кажеш ли?'],
  el: ['Γιατί η θάλασσα είναι αλμυρή;'],
  he: ['למה הים מלוח והנהרות לא?'],
  ar: ['لماذا ماء البحر مالح؟'],
  fa: ['چرا آب دریا شور است ولی رودخانه‌ها نیستند؟ پاسخ بده'],
  hi: ['समुद्र का पानी खारा क्यों होता है?'],
  th: ['ทำไมน้ำทะเลถึงเค็ม'],
  ja: ['海はなぜ塩辛いのですか？', 'このプログラムの動きを説明してください。'],
  ko: ['바닷물은 왜 짠가요?', '이 프로그램이 어떻게 작동하는지 설명해 주세요.'],
  zh: ['为什么海水是咸的？', '請解釋這個程式怎麼運作。'],
}

describe('the language of a sentence', () => {
  it.each(Object.entries(SENTENCES).flatMap(([code, texts]) => texts.map((text) => [code, text] as const)))(
    '%s: %s',
    (code, text) => {
      expect(detectLanguage(text)).toMatchObject({ code })
    },
  )

  it.each([
    [''],
    ['42'],
    ['🙂🙂🙂'],
    ['ok'],
    ['const x = foo(bar) + baz[3];'],
    ['Anna Schmidt, Jean Dupont, Marco Rossi'],
    ['https://example.org/a/b?c=d'],
    ['SELECT id, name FROM users WHERE age > 30'],
    ['asdf qwer zxcv uiop hjkl'],
  ])('is unknown for %j', (text) => {
    expect(detectLanguage(text).code).toBe('unknown')
  })

  it('names its evidence', () => {
    expect(detectLanguage('海はなぜ塩辛いのですか？')).toEqual({ code: 'ja', share: 1, by: 'script' })
    const german = detectLanguage('Warum ist der Himmel am Abend manchmal rot?')
    expect(german.by).toBe('words')
    expect(german.share).toBeGreaterThan(0.5)
  })

  it('goes by the larger part of a text in two languages', () => {
    expect(
      detectLanguage('Übersetze bitte den Satz, der auf der Tafel steht und nicht lang ist: good morning').code,
    ).toBe('de')
    expect(detectLanguage('Please explain what the word 海 means when you read it in a text').code).toBe('en')
  })

  it('reads the first 2,000 characters', () => {
    const german = 'Warum ist der Himmel nicht grün? '.repeat(60)
    expect(detectLanguage(`${german.slice(0, 2000)}${'the sky and the sea are blue '.repeat(5000)}`).code).toBe('de')
  })
})
