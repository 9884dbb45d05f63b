/** Words between a label and its value, in several languages. */
const WORDS = [
  ...[
    'number',
    'numbers',
    'no',
    'num',
    'nr',
    'nro',
    'nummer',
    'numéro',
    'numero',
    'número',
    'numer',
    'nº',
    'code',
    'id',
    'n',
    'n°',
    'n\\.º',
    '№',
    'číslo',
    'numarası',
  ],
  ...['is', 'was', 'ist', 'lautet', 'est', 'es', 'é', 'è', 'jest', 'är', 'er', 'to', 'of', 'value', 'ending', 'номер'],
  ...['numarası', 'numarasi', 'на', 'at', 'unter', 'au', 'al', 'address', 'adresse', 'है', 'नंबर'],
  ...[
    'का',
    'هو',
    'رقم',
    'account',
    'konto',
    'compte',
    'card',
    'credit',
    'debit',
    'date',
    'my',
    'its',
    'new',
    'old',
    'issued',
  ],
]
const IDEOGRAPHS = '是为為は号码號碼番の：，、のです은는'
const GAP = new RegExp(
  `^(?:[\\s:=#"'\`|*_~.,()\\[\\]&\\\\+-]|[${IDEOGRAPHS}]|</?\\w{1,10}>|>|(?<!\\p{L})(?:${WORDS.join('|')})(?!\\p{Ll}))*$`,
  'iu',
)

/** Whether the text between a label and a value leaves no doubt that they belong together. */
export function isLabelGap(text: string): boolean {
  return GAP.test(text)
}
