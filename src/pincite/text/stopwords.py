"""Function words of eight languages: dropped from queries, counted to tell languages apart.

They are constants, never learned from a corpus: what decides an answer may not depend on what else is stored. A word is
listed as it is written, in lower case and with its accents; elided forms stand without their apostrophe (`l'État` gives
`l`). Words that also name a thing the law knows (English `will`, Italian `stato`, French `droit`) are left out: BM25
gives frequent words little weight anyway, and a dropped word can never be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_GERMAN = """
viel viele wieviel
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man
mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser
unsere dieser diese dieses diesen diesem jener jene jenes jede jeder jedes jeden jedem alle allen aller alles solche
solcher welche welcher welches welchen welchem deren dessen derjenige diejenige denjenigen derselben dasselbe
und oder aber denn sondern sowie wenn weil dass ob obwohl damit bevor nachdem während als wie sofern soweit falls indem
in im an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über um unter von vom vor zu zum zur
zwischen wegen innerhalb ausserhalb außerhalb gemäss gemäß aufgrund ins
bin bist ist sind war waren wurde wurden wird werden worden wäre wären sei seien hat habe haben hatte hatten
kann können konnte darf dürfen muss müssen soll sollen sollte mag möchte
wer was wo wann warum wieso weshalb wohin woher womit wofür
nicht nur auch noch schon so sehr hier dort da dann nun also doch jedoch etwa mehr
"""

_FRENCH = """
le la les l un une des du de d au aux ce cet cette ces c
je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en moi toi soi eux
mon ma mes ton ta tes son sa ses notre nos votre vos celui celle ceux celles cela ça ceci
et ou mais donc or ni car que qu qui quoi dont où quel quelle quels quelles lequel laquelle lesquels lesquelles duquel
auquel quand comment pourquoi combien si lorsque lorsqu puisque puisqu afin ainsi comme tandis parce quelque quelques
à dans par pour sur sous avec sans entre vers chez contre depuis pendant avant après dès jusque jusqu selon hors parmi
lors est sont été être était étaient sera seront serait soit soient es suis sommes êtes fut ayant étant
a ai as ont avons avez avait avaient aura auront avoir eu ait aient
peut peuvent doit doivent pouvoir n ne pas plus moins très aussi même mêmes tout toute tous toutes chaque aucun aucune
autre autres tel telle tels telles notamment encore déjà toujours
"""

_ITALIAN = """
il lo la i gli le l un uno una del dello della dei degli delle dell di d al allo alla ai agli alle all
dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull col coi
io tu egli lui lei esso essa noi voi essi esse loro mi ti si ci vi ne me te se sé
mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri vostro vostra proprio propria propri
questo questa questi queste quest quello quella quelli quelle quell quel quei ciò
e ed o oppure ma però che chi cui quale quali qual quando quanto quanti quante come dove perché perche cosa poiché
affinché qualora mentre dopo prima se anche inoltre nonché ossia cioè quindi pertanto purché
a ad da in con su per tra fra senza contro verso presso secondo mediante durante sino fino entro salvo oltre sotto sopra
è sono sia siano era erano essere essendo fu furono sarà saranno sarebbe ha hanno aveva avevano avere abbia abbiano avrà
può possono deve devono viene vengono non più meno molto così già ancora sempre tutto tutta tutti tutte ogni altro altra
altri altre alcuni alcune nessun nessuno tale tali stesso stessa
"""

_ENGLISH = """
many much
the a an this that these those i you he she it we they me him her us them my your his its our their mine yours hers
ours theirs myself yourself himself herself itself ourselves themselves
and or but nor so yet if because although though while whereas unless until since as than whether
of in on at by for with about against between into through during before after above below to from up down out over
under upon within without toward towards among per via
am is are was were be been being have has had having do does did doing can could may might must shall should would
who whom whose which what when where why how
not no only also both each few more most other some such any all every either neither own same too very just there here
then once again further thereof therein hereby hereof herein s t ll ve re
"""

_DUTCH = """
de het een ik jij je u hij zij ze we wij jullie hen hun haar mij me jou hem ons onze mijn jouw uw zijn zich
dit dat deze die zulke elk elke ieder iedere alle alles iemand niemand iets niets
en of maar want dus omdat hoewel terwijl als dan toen zodat doordat indien tenzij totdat wanneer zowel noch
in op aan van voor door met bij uit naar om over onder tussen tegen zonder tijdens tot sinds na te ten ter per via
binnen buiten volgens vanuit waarbij waarin waarmee waarop waardoor waarvan waarvoor hierbij daarbij ervan eraan
is ben bent was waren wordt worden werd werden geweest heeft heb hebben had hadden zal zullen zou zouden kan kunnen kon
mag moet moeten wil
wie wat welke welk waar waarom hoe hoeveel
niet geen wel ook nog al er hier daar zo meer veel zeer reeds alleen echter ander andere eigen zelf
"""

_SPANISH = """
el la los las lo un una unos unas al del de
yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus nuestro
nuestra nuestros nuestras
este esta esto estos estas ese esa eso esos esas aquel aquella aquellos aquellas
y e o u pero sino ni que porque pues si aunque mientras cuando como donde según
a ante bajo con contra desde durante en entre hacia hasta mediante para por sin sobre tras
es son era eran fue fueron ser sido siendo sea sean será serán sería está están estaba estaban estar
ha han había habían haber haya hay he hemos tiene tienen tenía puede pueden podía debe deben
qué quién quiénes cuál cuáles cuándo cuánto cuántos cuánta cuántas cómo dónde quien quienes cual cuales cuyo cuya
no sí más menos muy también tampoco ya todavía así todo toda todos todas otro otra otros otras cada cualquier algún
alguna algunos algunas ningún ninguna mismo misma tan tanto
"""

_PORTUGUESE = """
o a os as um uma uns umas do da dos das de no na nos nas ao à aos às pelo pela pelos pelas num numa dum duma
eu tu ele ela nós vós eles elas você vocês me te se lhe lhes meu minha teu tua seu sua seus suas nosso nossa
este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles deste desta neste nesta desse dessa
nesse nessa e ou mas nem que porque pois se embora enquanto quando como onde conforme
ante após até com contra desde durante em entre para por perante sem sob sobre
é são era eram foi foram ser sido sendo seja sejam será serão seria está estão estava estavam estar
há tem têm tinha tinham ter havia haver pode podem deve devem
quem qual quais quanto quantos quantas cujo cuja
não sim mais menos muito também já ainda assim só todo toda todos todas outro outra outros outras cada qualquer algum
alguma alguns algumas nenhum nenhuma mesmo mesma
"""

_ROMANIAN = """
un o unei unui unor al a ai ale cel cea cei cele celui celei celor
eu tu el ea noi voi ei ele îl îi își îmi ne vă le mă te se s lui lor său sa săi sale meu mea mei nostru noastră
acest această aceasta acesta acești aceste acestui acestei acestor acestea acela aceea acelea
și sau dar iar ori însă ci deci că să dacă deși deoarece fiindcă pentru când unde cum precum
în din de la pe cu prin după între dintre fără către spre sub peste până contra asupra despre înainte lângă într dintr
printr este e sunt era erau fi fie fost fiind fiu ar au am ați are aveau avea avut aibă va vor voi poate pot putea
trebuie cine ce care căror cărui cărei câte cât câți câtă
nu mai foarte nici tot toate toți toată alt altă alte alți fiecare orice oricare niciun nicio asemenea astfel atunci
doar
"""

STOPWORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "de": frozenset(_GERMAN.split()),
        "en": frozenset(_ENGLISH.split()),
        "es": frozenset(_SPANISH.split()),
        "fr": frozenset(_FRENCH.split()),
        "it": frozenset(_ITALIAN.split()),
        "nl": frozenset(_DUTCH.split()),
        "pt": frozenset(_PORTUGUESE.split()),
        "ro": frozenset(_ROMANIAN.split()),
    }
)
"""Function words by ISO 639-1 code of their language."""

# Relations, quantities and negations: function words to a grammarian, search words to someone who asks for "recours
# contre" or "leave without pay".
_MEANINGFUL: Mapping[str, str] = {
    "de": """
        alle allen aller alles aufgrund ausserhalb außerhalb bevor bis durch falls gegen hinter innerhalb
        jede jeder jedes kein keine keinen keiner mehr nachdem neben nicht nur ohne seit sofern unter vor
        wegen während zwischen über
    """,
    "en": """
        about above after again against all any before below between both down during each every few further
        more most no nor not off once only other out over own per same since through under unless until up
        very within without
    """,
    "es": """
        ante antes bajo cada contra desde durante entre hasta hacia menos más mediante mismo ninguna ningún
        no otra otras otro otros según sin sobre toda todas todo todos tras
    """,
    "fr": """
        afin après aucun aucune autre autres avant chaque contre depuis dès entre hors jusque lors moins
        même mêmes notamment parmi pas pendant plus sans selon sous toujours tous tout toute toutes vers
    """,
    "it": """
        alcune alcuni altra altre altri altro ancora contro dopo durante entro fino fra già mediante meno
        molto nessun nessuno ogni oltre presso prima più proprio salvo secondo sempre senza sino sopra sotto
        stessa stesso tutta tutte tutti tutto verso
    """,
    "nl": """
        alle alleen ander andere binnen buiten elk elke geen meer na niet onder over per sinds tegen tenzij
        tijdens tot tussen volgens voor zonder
    """,
    "pt": """
        ante após até cada contra conforme desde durante entre mais menos mesmo nenhum nenhuma não outra
        outras outro outros sem sob sobre toda todas todo todos
    """,
    "ro": """
        alt alte altă alți contra după doar fiecare fără foarte înainte între mai niciun nicio nu peste până
        prin spre sub toate toată tot toți
    """,
}

QUERY_STOPWORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {language: words - frozenset(_MEANINGFUL[language].split()) for language, words in STOPWORDS.items()}
)
"""Words that a query in this language is better off without."""
