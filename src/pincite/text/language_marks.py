"""What spelling says about a word's language: hand-written lists of letters, endings and letter groups.

Short texts (headings, queries) often contain no function word; then these marks decide. A mark shared by several
languages counts for each of them, but for less.
"""

from __future__ import annotations

LETTERS = {
    "de": "ß ä ö ü",
    "es": "ñ ¿ ¡ á é í ó ú",
    "fr": "é è ê à ç ù û î ô â ï ë œ",
    "it": "à è é ì ò ù",
    "nl": "ë ï é",
    "pt": "ã õ ç á é í ó ú â ê ô",
    "ro": "ă â î ș ț ş ţ",
}
"""Letters a language uses beyond a-z. A letter that a language lacks is evidence against that language."""

ELSEWHERE = frozenset("łąęśźżćńřěůčšžďťňőűğıåøæāēīūķļņģėįųđþðýľĺŕŵŷħġċ")
"""Latin letters that none of the languages above uses. Many of them mean that the text is in an unknown language."""

ENDINGS = {
    "de": """
        ung ungen heit heiten keit keiten lich liche lichen licher liches isch ische ischen ischer schaft schaften tät
        täten ieren iert ierte ierung chen tum nis nisse igkeit ig ige igen iger los lose bar bare ern eln haft
        pflicht recht rechte rechts gesetz zeit zeug ende enden ender endes tion tionen enz anz ismus ungs sch tz ck
        cht chts ft kt lt rt ß st nd rn en er es em
    """,
    "en": """
        ing ings ed tion tions sion sions ly ness ment ments ity ities ive ives ous ful less able ible ary ory ance
        ence ances ences ies ers er or ors al als ally ship hood ght ghts th ths sh ck cks ll lls ss ty ry gy cy dge
        dges tch ew ews ow ows ay ays ey eys oy ee ees eed ead eat oad ood ook ool oom oon oot oup ound ture tures ure
        ures ism isms ist ists ics ical ate ates ator ators ice ices ise ize izes ized age ages ject jects quest mance
        ple ples tle fect ork orks ord ords orm orms ort orts ame ames ace aces ake akes ask asks est ent ents ute
        utes ode odes ote otes ove oves ues ue ts ks ds ns ls ms ps gs bs ws rs ked ded ted ned led red sed ged ved
        med ced ped wed ction ctions ving king ting ning ling ring sing ging ding ming ping cing bing y ym et ets eet
        ub ob og ig ug ad
    """,
    "es": """
        ción ciones sión siones dad dades tad miento mientos ado ada ados adas ido ida idos idas ar er ir ando iendo
        ez eza encia encias ancia ancias ario aria arios arias ivo iva ivos ivas ico ica icos icas ón és ía ías ío íos
        ble bles dor dora dores tor tores mente ente entes ante antes os as al ales uro uros aje ajes
    """,
    "fr": """
        tion tions sion sions ment ments eur eurs euse euses trice aux eaux eau ité ités ique iques aire aires oir
        oirs oire oires ance ances ence ences elle elles ette ettes é ée és ées er ir re eux euse if ifs ive ives age
        ages ant ante ants antes ent ents el els ale ales isme iste istes ier iers ière ières able ables ible ibles
        ois oise ail aille eil eille our ouvre ège ues gue ure ures rie ries ie ies aine aines ine ines ien iens ienne
    """,
    "it": """
        zione zioni sione sioni mento menti mente ità tà are ere ire arsi ersi irsi ato ata ati ate ito ita iti ite
        uto uta uti ute ente enti enza enze anza anze ante anti tore tori trice ico ica ici iche ivo iva ivi ive ario
        aria ari arie orio oria ori orie oso osa osi ose one oni ale ali ile ili bile bili aggio aggi ezza ezze ura
        ure ismo ista isti iste ano ana ani ane ino ina ini ine ndo tto tta tti tte llo lla lli lle sso ssa ssi sse
        gio gia zio zia zi gli glia glie gno gna cchi o i a e
    """,
    "nl": """
        heid heden ing ingen atie aties iteit iteiten schap schappen ijk ijke ijks lijk lijke lijken isch ische eren
        eerd eerde aar aars eer oor oord oort uur uren aal eel oel ief ieve ieven ling tie ties sie sies elen enen
        kken tten ppen ssen nning ijf ijn ijd ijst ijven oek oeken uik uiken aten aken gen gevens baar bare loos je
        jes tje tjes wet recht cht en
    """,
    "pt": """
        ção ções são sões dade dades mento mentos ado ada ados adas ido ida idos idas ar er ir ando endo ência ências
        ância âncias ário ária ários árias ório ória ivo iva ivos ivas ico ica icos icas ável ível áveis íveis ão ãos
        ães ões eiro eira eiros eiras agem agens vel veis dor dora dores tor tores mente ente entes ante antes gem
        gens os as al ais ém ez eza nho nha lho lha
    """,
    "ro": """
        ție ții ția ției țiile țiilor ilor elor ului lui ul ele iile ea ește esc eză ării ări ătoare ător ători ii ie
        ia ei țe ță ți ăți tate tății tea ului uri urile urilor lor ilor iști enți ivă ală ică ată ită ă eț eam ând
    """,
}
"""Endings of words of four letters or more; the longest one that fits counts. Single letters count least."""

GROUPS = {
    "de": "sch tz pf chs ck äu eu cht ßt auf ver ung zw ent ge ei",
    "en": "th wh sh ck oo ee ea gh ow ould ough wr kn ph y ew ay aw ow ff ot ass ust ess ork",
    "es": "ción ll ñ ue ie ch uj dad qu rr",
    "fr": "eau oi ou ai qu eu aux ui œ oy ill ch gn ille d'é l'é l'a d'a",
    "it": "gli gn cch zz ch gh sc tt cc zi gg ss ll qu bb dell all'",
    "nl": "ij aa oo ee uu oe ui eu ie sch cht vr zw uw gg kk ver ge",
    "pt": "nh lh ção ções qu ão ss ei ou rr",
    "ro": "ț ș ă î ui ea ie iu oa iei ce și",
}
"""Letter groups anywhere in a word; they count only in short texts."""
