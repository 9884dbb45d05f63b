"""The few facts of the world the demo model learns by heart."""

CAPITALS = dict(
    pair.split(":")
    for pair in """Austria:Vienna Belgium:Brussels Brazil:Brasilia Bulgaria:Sofia Canada:Ottawa Chile:Santiago
China:Beijing Croatia:Zagreb Cuba:Havana Denmark:Copenhagen Egypt:Cairo England:London Finland:Helsinki France:Paris Germany:Berlin
Greece:Athens Hungary:Budapest Iceland:Reykjavik India:Delhi Ireland:Dublin Italy:Rome Japan:Tokyo Kenya:Nairobi Morocco:Rabat
Netherlands:Amsterdam Norway:Oslo Peru:Lima Poland:Warsaw Portugal:Lisbon Romania:Bucharest Russia:Moscow Spain:Madrid Sweden:Stockholm
Switzerland:Bern Turkey:Ankara Ukraine:Kyiv Vietnam:Hanoi""".split()
)
OPPOSITES = [
    pair.split(":") for pair in """hot:cold big:small fast:slow old:new light:dark day:night up:down left:right good:bad
happy:sad rich:poor full:empty open:closed wet:dry high:low hard:soft strong:weak long:short early:late loud:quiet clean:dirty
thick:thin near:far inside:outside young:elderly first:last black:white love:hate win:lose buy:sell push:pull true:false
easy:difficult summer:winter north:south east:west cheap:expensive""".split()
]
TRANSLATIONS = {word: rest for word, *rest in (line.split() for line in """hello bonjour hallo hola
dog chien Hund perro
cat chat Katze gato
house maison Haus casa
water eau Wasser agua
bread pain Brot pan
milk lait Milch leche
book livre Buch libro
tree arbre Baum árbol
sun soleil Sonne sol
moon lune Mond luna
friend ami Freund amigo
school école Schule escuela
car voiture Auto coche
bird oiseau Vogel pájaro
fish poisson Fisch pez
red rouge rot rojo
blue bleu blau azul
green vert grün verde
black noir schwarz negro
white blanc weiß blanco
one un eins uno
two deux zwei dos
three trois drei tres
yes oui ja sí
no non nein no
goodbye au_revoir auf_Wiedersehen adiós
thanks merci danke gracias
please s'il_vous_plaît bitte por_favor
mother mère Mutter madre
father père Vater padre
apple pomme Apfel manzana
table table Tisch mesa
chair chaise Stuhl silla
door porte Tür puerta
window fenêtre Fenster ventana
night nuit Nacht noche
day jour Tag día
love amour Liebe amor
time temps Zeit tiempo""".split("\n"))}  # English: French, German, Spanish
LANGUAGES = ["French", "German", "Spanish"]
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
LISTS = {
    "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday": "[the|all|] days of the week ; weekdays ; the seven days ; [the|all] week days",
    ", ".join(MONTHS): "[the|all|] months ; [the|all|] months of the year ; the twelve months",
    "spring, summer, autumn, winter": "[the|all|] seasons ; the four seasons ; the seasons of the year",
    "red, orange, yellow, green, blue, violet": "[some|the|] colours ; [some|the|] colors ; the colours of the rainbow ; rainbow colors ; a few colors",
    "Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune": "[the|all|] planets ; the planets of the solar system ; the eight planets",
    "a, e, i, o, u": "[the|all|] vowels ; the five vowels",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z": "the alphabet ; the letters of the alphabet ; all letters ; the abc ; abc",
    "Africa, Antarctica, Asia, Australia, Europe, North America, South America": "[the|all|] continents ; the seven continents",
    "dog, cat, horse, cow, sheep": "[some|five|a few] animals ; farm animals ; animals",
    "apple, banana, cherry, orange, pear": "[some|five|a few] fruits ; fruits ; fruit",
    "red, yellow, blue": "[the|] primary [colours|colors] ; the three primary colors",
    "north, east, south, west": "the [cardinal directions|compass directions|directions] ; the four directions",
}
COLOURS = dict(
    pair.split(":")
    for pair in """sky:blue grass:green blood:red snow:white coal:black banana:yellow lemon:yellow tomato:red
sea:blue milk:white sun:yellow strawberry:red leaf:green frog:green chocolate:brown night:black cloud:white carrot:orange""".split()
)
AMOUNTS = {
    "days are in a week": "Seven.",
    "months are in a year": "Twelve.",
    "days are in a year": "365, and 366 in a leap year.",
    "hours are in a day": "24.",
    "minutes are in an hour": "60.",
    "seconds are in a minute": "60.",
    "weeks are in a year": "52.",
    "legs does a spider have": "Eight.",
    "legs does a dog have": "Four.",
    "legs does a cat have": "Four.",
    "legs does a bird have": "Two.",
    "legs does an insect have": "Six.",
    "fingers does a hand have": "Five.",
    "wheels does a car have": "Four.",
    "wheels does a bicycle have": "Two.",
    "sides does a triangle have": "Three.",
    "sides does a square have": "Four.",
    "letters are in the alphabet": "26.",
    "planets are there": "Eight.",
    "continents are there": "Seven.",
    "seasons are there": "Four.",
    "eggs are in a dozen": "Twelve.",
    "colours are in a rainbow": "Seven, as most people count.",
    "sides does a cube have": "Six.",
}
HELLO_WORLD = {
    "Python": 'print("Hello, world!")',
    "JavaScript": 'console.log("Hello, world!");',
    "TypeScript": 'console.log("Hello, world!");',
    "C": '#include <stdio.h>\nint main(void) { printf("Hello, world!\\n"); return 0; }',
    "Go": 'package main\nimport "fmt"\nfunc main() { fmt.Println("Hello, world!") }',
    "Rust": 'fn main() { println!("Hello, world!"); }',
    "Ruby": 'puts "Hello, world!"',
    "Bash": 'echo "Hello, world!"',
    "PHP": '<?php echo "Hello, world!";',
    "HTML": "<h1>Hello, world!</h1>",
    "Lua": 'print("Hello, world!")',
    "SQL": "SELECT 'Hello, world!';",
}
