/**
 * Words that announce a kind of number, in lower case; a phrase has blanks between its words. A phrase with `?` in
 * front also means other things: it announces a value whose check is right, and does not label a value by itself.
 */
export const PHRASES = {
  phone: [
    ...['phone', 'phones', 'telephone', 'tel', 'mobile', 'fax', 'whatsapp', '?sms', 'telefon', 'rufnummer', 'mobil'],
    ...['mobilnummer', 'telefonnummer', 'téléphone', 'telephone', 'tél', 'teléfono', 'móvil', 'telefono', 'cellulare'],
    ...['telefoon', 'telefoonnummer', 'numéro de portable', 'celular', 'telefone', 'phonenumber', 'hotline', '?dial'],
    ...['handynummer', 'mobiltelefon', 'telemóvel', 'komórka', 'komórkowy', 'numer telefonu', 'telefonní', 'telefonas'],
    ...['mobilnr', 'telefonnr', 'telnr', 'puhelin', 'gsm', 'cep telefonu', 'телефон', 'тел', 'моб', 'мобильный'],
    ...['факс', 'телефону', 'τηλέφωνο', 'τηλ', 'הטלפון', 'טלפון', 'هاتف', 'الهاتف', 'جوال', 'الجوال', 'موبايل', 'تلفن'],
    ...['فون', 'फोन', 'मोबाइल', 'दूरभाष', 'โทร', 'โทรศัพท์', 'มือถือ', 'điện thoại', 'sđt', 'telepon', 'nomor hp'],
    ...[
      '电话',
      '手机',
      '電話',
      '手機',
      '联系方式',
      '電話番号',
      '携帯',
      '전화',
      '전화번호',
      '휴대폰',
      '연락처',
      'contact no',
    ],
  ],
  /** Words of the telephone that also mean something else. */
  call: [
    ...['call', 'cell', 'handy', 'portable', 'reach me', 'text me', 'ring', 'ruf', 'anrufen', 'erreichbar', 'appelez'],
    ...['appeler', 'joindre', 'llame', 'llamar', 'llámame', 'chiama', 'chiamare', 'chiamami', 'ligue', 'ligar'],
    ...['bellen', 'bereikbaar', 'zadzwoń', 'ring mig', 'звоните', 'позвоните', '拨打', '致电'],
  ],
  /** Words behind a telephone number. */
  line: [
    ...['office', 'home', 'work', 'landline', 'switchboard', 'voicemail', 'pager', 'direct line', 'main line', 'cell'],
    ...[
      'handy',
      'büro',
      'privat',
      'dienstlich',
      'geschäftlich',
      'festnetz',
      'zentrale',
      'bureau',
      'domicile',
      'portable',
    ],
    ...['standard téléphonique', 'oficina', 'trabajo', 'domicilio', 'ufficio', 'lavoro', 'escritório', 'trabalho'],
    ...['kantoor', 'thuis', 'werk', 'biuro', 'praca', 'domowy', 'arbete', 'hemma', 'рабочий', 'домашний'],
  ],
  us_ssn: [
    'ssn',
    'ssns',
    'social security',
    'soc sec',
    'ss #',
    'ss no',
    '?tax id',
    '?taxpayer',
    'seguro social',
    '社会安全号',
  ],
  us_itin: ['itin', '?individual taxpayer', '?taxpayer id', 'taxpayer identification', '?tax id'],
  uk_nhs_number: ['nhs', 'national health', '?patient'],
  uk_nino: ['nino', 'national insurance', 'ni number', 'ni no', 'nat ins'],
  de_tax_id: [
    ...['steuer id', 'steuer identifikationsnummer', 'steueridentifikationsnummer', 'idnr', '?id nr', 'steuernummer'],
    ...['?tax id', 'steuerid', '?tin'],
  ],
  fr_social_security: ['nir', 'sécurité sociale', 'securite sociale', 'sécu', 'numéro insee', 'carte vitale'],
  ch_social_security: ['ahv', 'avs', 'ahv nummer', 'ahvnummer', 'sozialversicherungsnummer', 'navs'],
  es_dni: ['dni', 'nie', 'nif', 'documento de identidad', 'documento nacional de identidad'],
  it_fiscal_code: ['codice fiscale', 'cod fisc', 'cod fiscale', 'c f', 'codicefiscale', 'fiscal code'],
  nl_citizen_service_number: ['bsn', 'burgerservicenummer', 'sofinummer', 'sofi'],
  pl_pesel: ['pesel', 'peselu'],
  br_cpf: ['cpf', 'cadastro de pessoas físicas'],
  in_aadhaar: ['aadhaar', 'aadhar', 'adhaar', 'uidai', '?uid', 'आधार'],
  se_personal_number: ['personnummer', 'personnr', 'personal number', 'samordningsnummer'],
  cn_resident_id: ['身份证', '身分證', '身份证号', '居民身份证', 'resident identity', 'shenfenzheng'],
  mx_curp: ['curp'],
  mm_registration_card: ['nrc', 'မှတ်ပုံတင်'],
  kr_resident_number: ['주민등록번호', '주민번호', '주민등록', 'rrn', 'resident registration'],
  pk_identity_card: ['cnic', 'nicop', 'شناختی', 'شناختی کارڈ', '?nadra'],
  ru_snils: ['снилс', 'snils'],
  ru_tax_number: ['инн', '?inn'],
  th_citizen_id: ['บัตรประชาชน', 'เลขบัตร', 'เลขประจําตัวประชาชน', 'เลขประจำตัวประชาชน', 'thai id', 'citizen id'],
  ar_tax_id: ['cuil', 'cuit'],
  id_citizen_number: ['nik', 'ktp', 'nomor induk kependudukan', 'no ktp'],
  ng_identity_number: ['nin', 'national identification number', 'nimc', 'bvn'],
  bd_identity_number: ['nid', 'এনআইডি', 'জাতীয় পরিচয়পত্র', 'smart card'],
  jp_individual_number: ['マイナンバー', '個人番号', 'my number', 'individual number'],
  ph_identity_number: ['philsys', 'phil sys', 'psn', 'pcn', 'umid', 'philhealth'],
  eg_identity_number: ['الرقم القومي', 'رقم قومي', 'القومي', '?national id', '?national number'],
  vn_citizen_id: ['cccd', 'căn cước', 'cmnd', 'can cuoc', 'chứng minh nhân dân', 'can cuoc cong dan'],
  ir_national_code: ['کد ملی', 'کدملی', 'شماره ملی', 'code melli', 'kode melli', 'melli', '?national code'],
  tr_identity_number: ['tc kimlik', 't c kimlik', 'tckn', 'kimlik', 'kimlik no', 'kimlik numarası'],
  tz_identity_number: ['nida', '?national id', 'kitambulisho'],
  za_identity_number: ['south african id', 'rsa id', 'sa id', '?id number', '?identity number', '?id no', 'id nommer'],
  ke_identity_number: ['kenyan id', 'kenya id', 'huduma', 'kitambulisho'],
  co_citizen_card: ['cédula', 'cedula', 'cédula de ciudadanía', 'cedula de ciudadania'],
  ua_tax_number: ['рнокпп', 'rnokpp', 'іпн', 'ідентифікаційний номер', 'ідентифікаційний код'],
  ca_social_insurance: ['social insurance', '?sin', 'assurance sociale', 'sin number', 'sin no', '?nas'],
  au_tax_file_number: ['tfn', 'tax file'],
  sa_identity_number: ['iqama', 'الهوية', 'رقم الهوية', 'هوية', 'اقامة', 'إقامة', 'saudi id', '?national id'],
  iban: [
    ...['iban', 'ibans', 'bank account', 'account no', 'account number', 'kontonummer', 'bankverbindung', 'konto'],
    ...['compte bancaire', 'cuenta bancaria', 'conto corrente', 'conta bancária', 'rekeningnummer', 'numer konta'],
    ...['rachunek', 'rachunku', 'bankkonto', 'счет', 'счёт', '银行账号', '銀行口座'],
  ],
  passport: [
    ...['passport', 'passports', 'passeport', 'reisepass', 'passnummer', 'reisepassnummer', 'pasaporte', 'passaporto'],
    ...['paspoort', 'paspoortnummer', 'passaporte', 'paszport', 'paszportu', 'pasaport', 'паспорт', 'паспорта', '护照'],
    ...['護照', 'パスポート', '旅券', '여권', 'جواز سفر', 'جواز السفر', 'पासपोर्ट', 'passnr', 'hộ chiếu', 'paspor'],
  ],
  driver_licence: [
    ...['driver license', 'driver licence', 'driver s license', 'driver s licence', 'drivers license', 'dlno'],
    ...['drivers licence', 'driving licence', 'driving license', 'driver lic', 'dl no', 'dl number', 'dl #'],
    ...['führerschein', 'führerscheinnummer', 'fuehrerschein', 'permis de conduire', 'licencia de conducir'],
    ...['carnet de conducir', 'permiso de conducir', 'patente di guida', 'rijbewijs', 'rijbewijsnummer'],
    ...['carta de condução', 'carteira de motorista', 'cnh', 'prawo jazdy', 'prawa jazdy', 'körkort', 'körkortsnummer'],
    ...[
      'førerkort',
      'ehliyet',
      'sürücü belgesi',
      'водительское удостоверение',
      '驾驶证',
      '驾照',
      '運転免許証',
      '免許証番号',
    ],
    ...['운전면허', 'ड्राइविंग लाइसेंस', 'رخصة القيادة', 'numéro de permis', 'n de permis'],
  ],
  /** A licence of any kind. */
  licence: [
    'license no',
    'licence no',
    'license number',
    'licence number',
    'license #',
    'licence #',
    'licence',
    'patente',
  ],
  bic: ['bic', 'swift code', 'swift bic', '?swift', '?bankleitcode'],
  vin: [
    ...['vin', 'chassis', 'vehicle identification', 'fahrgestellnummer', 'fin', 'châssis', 'bastidor', 'telaio'],
    ...['fahrzeugidentifikationsnummer', 'chassisnummer', 'chassi', 'numer nadwozia', 'вин', '车架号'],
  ],
  imei: ['imei', 'imeis'],
  birth_date: [
    ...['born', 'dob', 'd o b', 'birth', 'birthday', 'birthdate', 'geboren', 'geb', 'geburtsdatum', 'geburtstag'],
    ...['né le', 'née le', 'naissance', 'nacimiento', 'nacido', 'nacida', 'cumpleaños', 'nato', 'nata', 'nascita'],
    ...['geboortedatum', 'nascimento', 'nascido', 'nascida', 'urodzony', 'urodzona', 'urodzenia', 'ddn', 'bday'],
    ...['född', 'födelsedatum', 'født', 'fødselsdato', 'doğum', 'doğum tarihi', 'родился', 'родилась', 'рождения'],
    ...['出生', '生日', '生年月日', '誕生日', '생년월일', 'تاريخ الميلاد', 'जन्म', 'जन्मतिथि', 'geboorte'],
  ],
  postcode: [
    ...['postcode', 'postcodes', 'post code', 'postal', 'postal code', 'plz', 'postleitzahl', 'code postal'],
    ...['código postal', 'codigo postal', 'codice postale', 'cep', 'c a p', 'postnummer', 'postnr', 'kod pocztowy'],
    ...[
      'posta kodu',
      'почтовый индекс',
      '邮编',
      '邮政编码',
      '郵便番号',
      '우편번호',
      'الرمز البريدي',
      'pincode',
      'पिन कोड',
      'pin code',
    ],
  ],
  /** Words for the codes of five digits of the United States. */
  zip: ['zip', 'zipcode', 'zip code', 'zip codes'],
  card: [
    ...['card', '?cards', '?credit', '?debit', 'visa', 'maestro', 'mastercard', 'amex', '?pan', 'karte', 'kreditkarte'],
    ...['carte', 'tarjeta', 'carta', 'creditcard', 'kaart', 'cartão', 'ccnum', '?cc', 'kartennummer', 'debitkarte'],
    ...['kreditkartennummer', 'bankomatkarte', 'girocard', 'carte bancaire', 'tarjeta de crédito', 'carta di credito'],
    ...[
      'cartão de crédito',
      'cartao',
      'creditcardnummer',
      'karta',
      'karty',
      'kortnummer',
      'kreditkort',
      'kort',
      'kart',
    ],
    ...[
      'kredi kartı',
      'карта',
      'карты',
      'карту',
      '银行卡',
      '信用卡',
      '卡号',
      'クレジットカード',
      'カード番号',
      '카드번호',
      '카드',
    ],
    ...['بطاقة', 'بطاقة الائتمان', 'कार्ड', 'discover', 'unionpay', 'jcb', 'мир', 'mir'],
  ],
  /** The name of the numbers of computers, which no other number has. */
  ip: ['ip', 'ipv4', 'ip address', 'ipaddr', 'ip adresse', 'adresse ip', 'dirección ip', 'indirizzo ip'],
  wallet: ['wallet', 'btc', 'bitcoin', 'ethereum', 'eth', 'litecoin', 'dogecoin', 'tron', 'crypto address'],
  address: [
    ...['ip', 'ipv4', 'ipv6', 'address', 'addr', 'host', 'hosts', 'server', 'dns', 'gateway', 'ping', 'client'],
    ...['nameserver', 'ssh', 'connect', 'remote', 'router', 'subnet', 'adresse', 'login', 'proxy'],
  ],
  /** Kinds of streets that come before their names. */
  street: [
    ...['calle', 'c', 'avenida', 'avda', 'av', 'plaza', 'paseo', 'camino', 'via', 'viale', 'piazza', 'corso', 'largo'],
    ...['vicolo', 'rua', 'travessa', 'praça'],
  ],
  version: ['version', 'versions', 'release', 'v', 'ver', 'section', 'chapter', 'build', 'oid', 'upgrade', 'kernel'],
} as const

/** A kind of announcing words. */
export type Context = keyof typeof PHRASES

/** The kinds, in the order of their numbers. */
export const CONTEXTS = Object.keys(PHRASES) as readonly Context[]

const NUMBERS = Object.fromEntries(CONTEXTS.map((kind, index) => [kind, index])) as Readonly<Record<Context, number>>

/** Kinds of words that only the checks of kinds ask for. No value is looked for because of them. */
export const HINTS: ReadonlySet<Context> = new Set<Context>(['address', 'version', 'street'])

/** The number of a kind. */
export function contextIndex(kind: Context): number {
  return NUMBERS[kind]
}
