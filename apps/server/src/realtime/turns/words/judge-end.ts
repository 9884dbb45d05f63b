import { endsInDictation } from './dictation.ts'
import { removeRemarks, splitWords } from './split-words.ts'

/** How a text ends: the sentence is over, goes on, or may be either. */
export type SentenceEnd = 'over' | 'open' | 'unclear'

const list = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')))

/**
 * Words behind which a sentence goes on, whatever sign a recogniser has put there: articles, conjunctions, possessives
 * and sounds of thinking. The lists hold for all languages at once, so they leave out words that end a sentence in
 * another language ("no", "car", "die", "du").
 */
const NEVER_LAST = list(
  'the and or but because if whether my your our their um uh uhm erm hmm',
  'der dem den des eine einen einem einer eines und oder aber weil dass ob wenn sondern meine meinen zum zur im am beim',
  'vom ins für ähm äh öhm',
  'el los las una unos unas y pero porque que cuando de del con para por en al sin mi su eh',
  'la le les un une des et ou donc parce quand avec sans dans chez mon ma mes ses leur leurs notre votre cet cette euh',
  'il gli uno e ed ma perché che di dello della dei degli delle alla allo agli nel nella con tra ehm cioè',
  'o os uma uns umas e ou mas porque em com pra pelo pela sem meu minha seu sua',
)

/** Words behind which a sentence mostly goes on: prepositions, that also stand last ("what for"), and others. */
const SELDOM_LAST = list(
  'a to of for from with at by about into than as is are was were like so then i also er',
  'ein mit ohne gegen zwischen wegen nach von bei durch über unter also der und zwar dann mein kein keine ist sind',
  'si para sobre hasta desde entre este pues como muy es está',
  'du pour par sur vers alors à au aux ce est sont très sa ta comme',
  'da dal dalla su per fra se quando come molto è sono allora lo',
  'do dos na nas nos até então tipo são muito as',
)

/** Characters of the end that are judged. */
const MAX_TAIL = 200
const CLOSING = /["'”’»«)\]}\s]+$/u
const GOES_ON = /(?:\.\.\.?|…|[,;:\-–—،、，])$/u
const FINAL = /[.!?。！？．؟।۔]$/u
const QUESTION = /[?？؟]$/u

/**
 * Judges by its words and signs whether a text is a whole utterance. In languages other than English, German, Spanish,
 * French, Italian and Portuguese only the signs count.
 */
export function judgeEnd(text: string): SentenceEnd {
  const said = removeRemarks(text.slice(-MAX_TAIL)).replace(CLOSING, '')
  if (said === '') return 'unclear'
  if (QUESTION.test(said)) return 'over'
  if (GOES_ON.test(said) || hasOpenQuestion(said)) return 'open'
  const words = splitWords(said)
  const last = words.at(-1) ?? ''
  if (NEVER_LAST.has(last)) return 'open'
  const dictated = endsInDictation(words)
  if (dictated !== undefined) return dictated
  const isFinal = FINAL.test(said)
  if (SELDOM_LAST.has(last)) return isFinal ? 'unclear' : 'open'
  return isFinal ? 'over' : 'unclear'
}

/** Spanish marks where a question or a call begins. */
function hasOpenQuestion(text: string): boolean {
  const from = Math.max(text.lastIndexOf('¿'), text.lastIndexOf('¡'))
  return from >= 0 && !/[?!]/.test(text.slice(from))
}
